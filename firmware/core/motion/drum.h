/* The drum: whether it turns as it is told, and how soon its next tile is due. */
#ifndef TWF_DRUM_H
#define TWF_DRUM_H

#include "../machine.h"

/* Let time pass: a drum that stands brings no tile; one that turns for itself stops with the motors' supply alone. */
void twf_drum_scan(struct twf_machine *machine, uint8_t elapsed_ms);

/* A tile has come from the one gate's drum, after so long. */
void twf_drum_brought(struct twf_machine *machine, struct twf_lane *lane, uint32_t waited_ms);

/* By when the next tile has to come, in ms at speed 1. To be called when a quick drum's is late: for its last tiles it ends being quick. */
uint16_t twf_drum_next_ms(const struct twf_machine *machine, struct twf_lane *lane);

#endif
