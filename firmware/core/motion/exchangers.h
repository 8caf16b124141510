/* The exchangers of a machine with several gates: each takes one tile at a time from a gate's pocket to a chute of another gate's seat.
 * A program for one gate has none, and the functions do nothing there. */
#ifndef TWF_EXCHANGERS_H
#define TWF_EXCHANGERS_H

#include "../machine.h"

#if TWF_SEVERAL
/* A job's tile has come to its gate's pocket. */
void twf_exchangers_pocketed(struct twf_machine *machine, struct twf_job *job);

/* Send every exchanger that is free for the tile that came first and whose chute has room. */
void twf_exchangers_begin(struct twf_machine *machine);

/* Let time pass: an exchanger that is late runs to and fro. */
void twf_exchangers_scan(struct twf_machine *machine, uint8_t elapsed_ms);

/* An exchanger has taken hold of a tile, or has let it into a chute. */
void twf_exchangers_edge(struct twf_machine *machine, uint8_t exchanger, bool holds);

/* Tiles in a gate's pocket, and those that its diverter is to lead there. */
uint8_t twf_exchangers_pocket(const struct twf_machine *machine, uint8_t gate);

/* A job that is over. */
void twf_exchangers_forget(struct twf_machine *machine, const struct twf_job *job);
#else
static inline void twf_exchangers_pocketed(struct twf_machine *machine, struct twf_job *job) {
    (void)machine;
    (void)job;
}

static inline void twf_exchangers_begin(struct twf_machine *machine) {
    (void)machine;
}

static inline void twf_exchangers_scan(struct twf_machine *machine, uint8_t elapsed_ms) {
    (void)machine;
    (void)elapsed_ms;
}

static inline void twf_exchangers_forget(struct twf_machine *machine, const struct twf_job *job) {
    (void)machine;
    (void)job;
}
#endif

#endif
