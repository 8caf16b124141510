/* From each gate to chutes, cells, pocket, drum and reject mouth: its diverter leads one tile at a time, in the order of the commands. */
#ifndef TWF_LANE_H
#define TWF_LANE_H

#include "../machine.h"

/* Put a job that needs the diverter in line. */
void twf_lane_enqueue(struct twf_machine *machine, struct twf_job *job);

/* Run drum and belt as they are wanted now. */
void twf_lane_feed(struct twf_machine *machine);

/* Start the first job in line if the lane is free and the chute has room. */
void twf_lane_begin(struct twf_machine *machine);

/* Let time pass: the diverter turns, what comes late is loosened. */
void twf_lane_scan(struct twf_machine *machine, uint8_t elapsed_ms);

/* Edges at a gate: the window, the return lane, a cell, a tile that passes a mouth (`sensor` is what it means for its job), or one that
 * has come to the pocket. */
void twf_lane_gate_edge(struct twf_machine *machine, uint8_t gate, bool full);
void twf_lane_return_edge(struct twf_machine *machine, uint8_t gate);
void twf_lane_cell_edge(struct twf_machine *machine, uint8_t gate, uint8_t own_number, bool full);
void twf_lane_passed(struct twf_machine *machine, uint8_t gate, uint16_t sensor, uint8_t chute);
void twf_lane_pocketed(struct twf_machine *machine, uint8_t gate);

/* Tell what lies in the window when the firmware starts; it has not been measured. */
void twf_lane_adopt(struct twf_machine *machine);

/* A job that will not come any further. */
void twf_lane_forget(struct twf_machine *machine, const struct twf_job *job);

#endif
