/* The parts of the emulated board: its processor, what is wired to its pins, and its serial line. */
#ifndef TWINWALL_SIMAVR_BOARD_H
#define TWINWALL_SIMAVR_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sim_avr.h>

#include "chains.h"
#include "physics.h"
#include "port.h"

enum {
    MHZ = 16,
    EEPROM_BYTES = 4096,
    LINE_BYTES = 4096
};

struct board {
    avr_t *avr;
    struct physics physics;
    struct port port;
    struct chains chains;
    int memory;
    uint8_t eeprom[EEPROM_BYTES];
    int64_t base_us;   /* the board's time at the processor's cycle 0 */
    int64_t behind_us; /* how far the board's clock has fallen behind the wall's for good */
    int64_t chores_us;
    uint16_t stack;  /* bytes, at its deepest so far */
    uint8_t pins[TWF_OUTPUT_BYTES - TWF_OUTPUT_CHAIN_BYTES];
    uint8_t steps;
    bool load;
    bool latch;
    bool chain_held;   /* its clock stands still: the firmware waits for a byte that never ends */
    bool was_reset;    /* and its inputs have to be set anew */
    bool bootloader;   /* one starts before the firmware, and takes the flags that say why */
    uint32_t servo_us;
    bool listening; /* the processor's receiver has room */
    uint8_t line_in[LINE_BYTES];
    size_t line_in_count;
    size_t line_in_next;
    uint8_t line_out[LINE_BYTES];
    size_t line_out_count;
};

/* The board's time: it goes on through resets of the processor, whose cycles begin anew. */
int64_t board_time_us(const struct board *board);

/* Wire the processor's pins, chains and reset to the physics, and bring its inputs to what the physics says. */
void pins_connect(struct board *board);
void pins_set(struct board *board);

/* The servo's pulse has perhaps changed. */
void pins_look_at_servo(struct board *board);

/* Wire the processor's UART to the port; pass on what has come at either end. */
void line_connect(struct board *board);
void line_exchange(struct board *board);

#endif
