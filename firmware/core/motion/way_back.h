/* The way back from the shuttles' return lanes to each gate, whose lane runs the belts. */
#ifndef TWF_WAY_BACK_H
#define TWF_WAY_BACK_H

#include "../machine.h"

/* A shuttle has let a RETURN's tile go onto the belt that brings it to the gate. */
void twf_way_back_take(struct twf_machine *machine, struct twf_job *job);

/* Whether a tile waits before a gate; before any. */
bool twf_way_back_waits(const struct twf_machine *machine, uint8_t gate);
bool twf_way_back_any_waits(const struct twf_machine *machine);

/* Whether no way back can hold a tile any more. */
bool twf_way_back_all_clear(const struct twf_machine *machine);

#endif
