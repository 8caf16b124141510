/* The inputs of BOARD.md, debounced: a signal counts as changed when two readings in a row agree on it. */
#ifndef TWF_INPUTS_H
#define TWF_INPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "../board/bits.h"
#include "../board/board.h"

struct twf_inputs {
    uint8_t level[TWF_INPUT_BYTES]; /* as it counts */
    uint8_t last[TWF_INPUT_BYTES];  /* as it was read last */
};

void twf_inputs_init(struct twf_inputs *inputs);

/* Take byte `index` of a new reading; the bits that count as changed come back, and `level` has them. */
uint8_t twf_inputs_take(struct twf_inputs *inputs, uint8_t index, uint8_t reading);

/* Whether byte `index` of a new reading says what the last one said and what counts. */
static inline bool twf_inputs_rest(const struct twf_inputs *inputs, uint8_t index, uint8_t reading) {
    return inputs->last[index] == reading && inputs->level[index] == reading;
}

/* Take a whole reading for granted. */
void twf_inputs_adopt(struct twf_inputs *inputs, const uint8_t reading[TWF_INPUT_BYTES]);

/* The level of a signal; here, so that a constant number becomes the test of one bit. */
static inline bool twf_input(const struct twf_inputs *inputs, uint16_t number) {
    return twf_bit_of(inputs->level, number);
}

/* A seat's trays or magazine, from bit TWF_IN_TRAY or TWF_IN_MAGAZINE. */
const uint8_t *twf_input_places(const struct twf_inputs *inputs, uint16_t first, uint8_t seat);

#endif
