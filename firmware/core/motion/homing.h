/* The way home, at boot and after a part was stuck: nothing is left in a gripper, a chute or a lane, and every carriage stands at
 * the return lane.
 *
 * A gripper that holds a tile stays shut until its carriage stands where the tile falls into the return lane; without current it
 * would have kept the tile, and with it, open, have let it fall into whatever lies under it. Then the purge empties the lanes.
 *
 * Before all that a lift or a floor that was cut off on its turn comes home: it ends it by itself as soon as there is current. Carriages
 * would run into the lift, and a tile may fall through the floor.
 */
#ifndef TWF_HOMING_H
#define TWF_HOMING_H

#include "../machine.h"

/* Begin: what moves comes to rest. Carriages set out when the motors have current, and grippers have had time to open. */
void twf_homing_begin(struct twf_machine *machine);

/* Every moving part comes to rest, what was on its way falls into the drum, and every job but those of locks ends without being trusted. */
void twf_homing_set_out(struct twf_machine *machine);

/* Whether carriages may move: lift and floors have been at home for longer than a contact that flickers says so. */
bool twf_homing_way_is_free(const struct twf_machine *machine);

/* Let time pass. What does not come home in time is told as stuck. */
void twf_homing_scan(struct twf_machine *machine, uint8_t elapsed_ms);

#endif
