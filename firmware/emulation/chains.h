/* The two chains of shift registers on the board's SPI, as BOARD.md lists them: 74HC165 bring the inputs, 74HC595 the outputs. */
#ifndef TWINWALL_CHAINS_H
#define TWINWALL_CHAINS_H

#include <stdbool.h>
#include <stdint.h>

#include "../core/board/board.h"

struct chains {
    uint8_t loaded[TWF_CHAIN_BYTES];        /* what the 74HC165 took at CHAIN_LOAD, still to be shifted out */
    unsigned next;                          /* the byte that comes out next */
    uint8_t shifted[TWF_OUTPUT_CHAIN_BYTES]; /* in the 74HC595, not shown yet; the byte shifted last is the last one */
    uint8_t shown[TWF_OUTPUT_CHAIN_BYTES];
    bool enabled;
};

/* CHAIN_LOAD is low: the inputs' levels are taken. */
void chains_load(struct chains *chains, const uint8_t inputs[TWF_CHAIN_BYTES]);

/* One byte goes in at one end while one comes out at the other. */
uint8_t chains_shift(struct chains *chains, uint8_t byte);

/* CHAIN_LATCH rises: what was shifted in is shown. */
void chains_latch(struct chains *chains);

/* The outputs of the chain; all low while CHAIN_ENABLE is high. */
void chains_outputs(const struct chains *chains, uint8_t outputs[TWF_OUTPUT_CHAIN_BYTES]);

#endif
