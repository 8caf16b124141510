/* Which draw gates (0 to 3) and rear gates (4 to 7) stand open, as the switches of their locks say. */
#ifndef TWF_GATES_H
#define TWF_GATES_H

#include "../machine.h"

/* A bit for each gate: draw gates' switches are the lowest of their byte, rear gates' the highest. */
uint8_t twf_gates_open(const struct twf_machine *machine);

/* A bit for each seat of which a gate stands open, of a blind shutter or bolt. */
uint8_t twf_gates_stand_open(const struct twf_machine *machine);

/* The same without the blinds' bolts, where no hand goes. */
uint8_t twf_gates_admit_hands(const struct twf_machine *machine);

#endif
