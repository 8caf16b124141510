/* What the host's operations do at once: refuse, set, or give a job to the module that moves for it. */
#ifndef TWF_OPERATIONS_H
#define TWF_OPERATIONS_H

#include "../machine.h"

/* Take on an operation: the answer is ACK when edges must follow, DONE when it is done, NAK when it cannot be. */
struct twf_answer twf_operations_perform(struct twf_machine *machine, uint32_t operation, const struct twf_command *command);

#endif
