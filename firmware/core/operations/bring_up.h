/* Bring-up: a person reads the inputs and drives the outputs one at a time, before the machine can home (PROTOCOL.md, rule 13).
 *
 * No sensor means anything meanwhile, and no other module moves anything. It ends as a boot does, but for STOP, which a person
 * clears before the machine homes.
 */
#ifndef TWF_BRING_UP_H
#define TWF_BRING_UP_H

#include "../machine.h"

/* Begin; 0 or the code of refusal. */
uint8_t twf_bring_up_begin(struct twf_machine *machine);

/* Why DRIVE is refused now, 0 if it is not. */
uint8_t twf_bring_up_refusal(const struct twf_machine *machine, const struct twf_command *command);

/* Drive what a job says, from the next millisecond on. */
void twf_bring_up_drive(struct twf_machine *machine, struct twf_job *job);

/* Let time pass; an output that has been on for long enough goes off, and the host's silence ends it all. */
void twf_bring_up_scan(struct twf_machine *machine, uint8_t elapsed_ms);

/* End, whatever is driven; nothing where it has not begun. */
void twf_bring_up_end(struct twf_machine *machine);

#endif
