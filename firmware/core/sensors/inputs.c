#include "inputs.h"

#include <string.h>

void twf_inputs_init(struct twf_inputs *inputs) {
    memset(inputs, 0, sizeof *inputs);
}

uint8_t twf_inputs_take(struct twf_inputs *inputs, uint8_t index, uint8_t reading) {
    const uint8_t agreed = (uint8_t)~(reading ^ inputs->last[index]);
    const uint8_t changed = (uint8_t)(agreed & (reading ^ inputs->level[index]));
    inputs->last[index] = reading;
    inputs->level[index] ^= changed;
    return changed;
}

void twf_inputs_adopt(struct twf_inputs *inputs, const uint8_t reading[TWF_INPUT_BYTES]) {
    memcpy(inputs->level, reading, TWF_INPUT_BYTES);
    memcpy(inputs->last, reading, TWF_INPUT_BYTES);
}

const uint8_t *twf_input_places(const struct twf_inputs *inputs, uint16_t first, uint8_t seat) {
    return inputs->level + first / 8u + TWF_PLACE_BYTES * seat;
}
