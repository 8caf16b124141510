/* Which operation may be taken on, and why not: places, queues and windows (PROTOCOL.md, "Codes" and rule 6). */
#ifndef TWF_MOTION_H
#define TWF_MOTION_H

#include "../machine.h"

/* The code of refusal, 0 if the operation may be taken on. */
uint8_t twf_motion_refusal(const struct twf_machine *machine, const struct twf_command *command);

/* Give an accepted job to what has to move for it. */
void twf_motion_enqueue(struct twf_machine *machine, struct twf_job *job);

/* Start every motion whose actuator is free. */
void twf_motion_begin(struct twf_machine *machine);

/* Tiles on their way to a seat's tray. */
uint8_t twf_motion_waiting(const struct twf_machine *machine, uint8_t seat);

#endif
