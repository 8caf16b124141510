/* What each edge of an input means to the table: which module's motion it ends, what is told, and what nobody expected.
 *
 * A tile leaves one place before it reaches the next, so of edges that are seen at once those that fall come before those that rise.
 */
#ifndef TWF_EDGES_H
#define TWF_EDGES_H

#include "../machine.h"

/* Show the outputs, read the inputs, and take every edge in them. Inputs count from the second whole reading after a boot on. */
void twf_edges_read(struct twf_machine *machine);

/* Tell how many tiles have fallen into the well, if that is news. */
void twf_edges_tell_well(struct twf_machine *machine);

#endif
