/* The machine at work: time, and what has just happened, go through all its modules in their order. */
#ifndef TWF_RUN_H
#define TWF_RUN_H

#include "machine.h"

/* Once a millisecond: show outputs, read inputs, let `elapsed_ms` pass. */
void twf_run_scan(struct twf_machine *machine, uint8_t elapsed_ms);

/* Bring motors, locks and motions into line with what has just happened. */
void twf_run_settle(struct twf_machine *machine);

/* Nothing may refer to a job that has ended, however strangely its edges came. */
void twf_run_forget(struct twf_machine *machine, const struct twf_job *job);

#endif
