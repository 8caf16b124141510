#include "gates.h"

uint8_t twf_gates_open(const struct twf_machine *machine) {
    const uint8_t *level = machine->inputs.level;
    return (uint8_t)((level[TWF_IN_LOCK_IS_OPEN / 8u] & 0x0fu) | (level[TWF_IN_REAR_LOCK_IS_OPEN / 8u] & 0xf0u));
}

/* A bit for each seat. */
static uint8_t at_seats(uint8_t gates) {
    return (uint8_t)(gates | gates >> TWF_REAR_GATE) & 0x0fu;
}

uint8_t twf_gates_stand_open(const struct twf_machine *machine) {
    return at_seats(twf_gates_open(machine));
}

uint8_t twf_gates_admit_hands(const struct twf_machine *machine) {
    const uint8_t open = twf_gates_open(machine);
    return machine->table.blinds ? (uint8_t)(open & 0x0fu) : at_seats(open);
}
