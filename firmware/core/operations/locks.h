/* The locks of draw gates (0 to 3) and rear gates (4 to 7): each is open on a lease only, counted in wall time (rule 3). At a table with
 * blinds the first are shutters before the draws, the others the blinds' bolts (BOARD.md, "Blinds").
 */
#ifndef TWF_LOCKS_H
#define TWF_LOCKS_H

#include "../machine.h"

/* UNLOCK: the code of refusal, 0 when the lease runs; `moves` says whether the lock has to open for it first. */
uint8_t twf_locks_refusal(const struct twf_machine *machine, uint8_t gate);

/* Open a gate on a lease; the edge of its lock ends the job. */
void twf_locks_open(struct twf_machine *machine, struct twf_job *job, uint8_t gate, uint32_t lease_ms);

/* Prolong a lease; false when there is none. */
bool twf_locks_renew(struct twf_machine *machine, uint8_t gate, uint32_t lease_ms);

/* The inputs have been read: a bolt that is seen to open without its coil has let its blind move on, in bring-up too. */
void twf_locks_watch(struct twf_machine *machine);

/* Shut a gate, or with TWF_ALL_SEATS every one. */
void twf_locks_close(struct twf_machine *machine, uint8_t gate);

/* Let time pass: leases run out, locks that do not move are told. */
void twf_locks_scan(struct twf_machine *machine, uint8_t elapsed_ms);

/* A lock has opened or shut. */
void twf_locks_edge(struct twf_machine *machine, uint8_t gate, bool open);

/* A tile behind a seat's hand places has gone or come: the gate that it went or came by. */
uint8_t twf_locks_passed(struct twf_machine *machine, uint8_t seat, uint8_t position, bool back);

#endif
