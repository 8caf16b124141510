/* What turns once or runs from end to end: floors of trays and magazines, the lift, the well's door. */
#ifndef TWF_CAMS_H
#define TWF_CAMS_H

#include "../machine.h"

/* Give a DUMP, RAISE, OPEN_WELL or CLOSE_WELL to what has to move for it. */
void twf_cams_enqueue(struct twf_machine *machine, struct twf_job *job);

/* Start those that have not begun. */
void twf_cams_begin(struct twf_machine *machine);

/* Let time pass: pulses end, floors settle, what comes late is told. */
void twf_cams_scan(struct twf_machine *machine, uint8_t elapsed_ms);

/* Edges: a floor has shut, the door has reached an end. */
void twf_cams_floor_edge(struct twf_machine *machine, uint8_t container, uint8_t seat);
void twf_cams_door_edge(struct twf_machine *machine);

/* Whether tiles of a seat's tray or magazine fall, or rise, by an operation, so that its switches tell nothing new. */
bool twf_cams_move(const struct twf_machine *machine, uint8_t container, uint8_t seat);

/* A tile of a hand place has come to the magazine: from now on a hand may take it. */
void twf_cams_arrived(struct twf_machine *machine, uint8_t seat, uint8_t position);

/* Whether a seat's magazine is being dumped, or soon will be. */
bool twf_cams_will_drop(const struct twf_machine *machine, uint8_t seat);

/* Whether the magazines are empty, so that walls may rise into them. */
bool twf_cams_may_lift(const struct twf_machine *machine);

/* Whether the well is open, or about to be. */
bool twf_cams_well_open(const struct twf_machine *machine);

/* The door stands still; floors and lift end their turn by themselves. */
void twf_cams_rest(struct twf_machine *machine);

/* A job that is over. */
void twf_cams_forget(struct twf_machine *machine, const struct twf_job *job);

#endif
