/* The shuttles, one or two of a seat ("seat" is a shuttle's number below): a carriage on a stepper and a gripper each. Tiles go from
 * the chute's mouth to a tray position, or back beyond the mouth into the return lane, which brings them to the gate again. */
#ifndef TWF_SHUTTLE_H
#define TWF_SHUTTLE_H

#include "../machine.h"

/* Put a job in a shuttle's line. */
void twf_shuttle_enqueue(struct twf_machine *machine, struct twf_job *job);

/* Send a shuttle for the first job in its line, if that can begin. */
void twf_shuttle_begin(struct twf_machine *machine, uint8_t seat);

/* Let time pass: carriages arrive, grippers work. */
void twf_shuttle_scan(struct twf_machine *machine, uint8_t elapsed_ms);

/* Edges: the gripper holds a tile or not; a tray position has got or lost one (false: no motion explains it). */
void twf_shuttle_picked_edge(struct twf_machine *machine, uint8_t seat, bool holds);
bool twf_shuttle_tray_edge(struct twf_machine *machine, uint8_t seat, uint8_t position, bool full);

/* Without shuttles: the switch at the end of a seat's lane has closed; whether it is a tile that was awaited there. */
bool twf_shuttle_comes_to_end(struct twf_machine *machine, uint8_t seat);

/* The shuttle that serves a job's position. */
uint8_t twf_shuttle_of(const struct twf_machine *machine, const struct twf_job *job);

/* Whether a job's tile finds room in its shuttle's chute, to which no other tile is on its way. */
bool twf_shuttle_has_room(const struct twf_machine *machine, const struct twf_job *job);

/* A job's tile has come to its chute, behind those that have come before: from several gates they come in any order. */
void twf_shuttle_comes(struct twf_machine *machine, struct twf_job *job);

/* Whether a shuttle stands still with nothing to do. */
bool twf_shuttle_rests(const struct twf_machine *machine, uint8_t seat);

/* Every carriage finds the return lane, with what its gripper holds. */
void twf_shuttle_home(struct twf_machine *machine);

/* Grippers open whose carriage has come to the return lane; whether none holds a tile any more. */
bool twf_shuttle_let_go(struct twf_machine *machine);

/* Whether a gripper holds a tile. */
bool twf_shuttle_holds(const struct twf_machine *machine, uint8_t seat);

/* A job that is no shuttle's any more. */
void twf_shuttle_forget(struct twf_machine *machine, uint8_t seat, const struct twf_job *job);

#endif
