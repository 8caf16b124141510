#include "edges.h"

#include "../board/bits.h"
#include "../board/hal.h"
#include "../motion/cams.h"
#include "../motion/exchangers.h"
#include "../motion/homing.h"
#include "../motion/lane.h"
#include "../motion/shuttle.h"
#include "../operations/locks.h"

/* The well's count is told once no tile has fallen for so long. */
#define WELL_QUIET_MS 200u
/* Chutes and mouths, and for how long they are looked at before a dark one is told. */
#define PASSED 0x3fu
#define DARK_MS 2000u

void twf_edges_tell_well(struct twf_machine *machine) {
    if (machine->well_told)
        return;
    machine->well_told = true;
    twf_machine_tell(machine, TWF_TYPE_WELL, (uint8_t)(machine->well & 0xffu), (uint8_t)(machine->well >> 8 & 0xffu));
}

/* A switch that changes although nothing moves its tile: a hand in the machine, or a switch that lies. Each tray is told once, also
 * while the machine stands; where hands do all the work it is none of that. */
static void disagree(struct twf_machine *machine, uint8_t seat) {
    const uint8_t bit = twf_mask(seat);
    if (twf_table_manual(&machine->table) || machine->homing.going || (machine->disagreeing & bit) != 0)
        return;
    machine->disagreeing |= bit;
    twf_machine_stuck(machine, TWF_FAULT_SENSORS_DISAGREE, (uint8_t)(TWF_WHERE_TRAY + seat), NULL);
}

/* Barriers that tiles only pass are never dark for long, but where belt and door stand still around a tile. */
static void watch_barriers(struct twf_machine *machine) {
    if (!twf_machine_running(machine) || machine->homing.going)
        machine->dark[0] = machine->dark[1] = 0;
    if (!twf_machine_shows(machine, TWF_OUT_BELT))
        machine->dark[1] &= (uint8_t)~twf_mask(TWF_IN_GATE_BEAM % 8u);
    if (!twf_input(&machine->inputs, TWF_IN_DOOR_IS_SHUT))
        machine->dark[1] &= (uint8_t)~twf_mask(TWF_IN_WELL % 8u);
    machine->dark[0] &= machine->inputs.level[0];
    machine->dark[1] &= machine->inputs.level[TWF_IN_LID_OPEN / 8u];
    if (machine->now_ms - machine->dark_ms < DARK_MS)
        return;
    if ((machine->dark[0] & PASSED) != 0)
        twf_machine_disagree(machine, TWF_WHERE_DIVERTER);
    if ((machine->dark[1] & twf_mask(TWF_IN_GATE_BEAM % 8u)) != 0)
        twf_machine_disagree(machine, TWF_WHERE_GATE);
    if ((machine->dark[1] & twf_mask(TWF_IN_WELL % 8u)) != 0)
        twf_machine_disagree(machine, TWF_WHERE_WELL);
    machine->dark[0] = machine->dark[1] = UINT8_MAX;
    machine->dark_ms = machine->now_ms;
}

static void tray_edge(struct twf_machine *machine, uint8_t seat, uint8_t position, bool full) {
    if (twf_cams_move(machine, TWF_CONTAINER_TRAY, seat))
        return;
    if (!twf_shuttle_tray_edge(machine, seat, position, full))
        disagree(machine, seat);
}

static void magazine_edge(struct twf_machine *machine, uint8_t seat, uint8_t position, bool full) {
    if (full && position < machine->table.hand_places)
        twf_cams_arrived(machine, seat, position);
    if (twf_cams_move(machine, TWF_CONTAINER_MAGAZINE, seat))
        return;
    if (position >= machine->table.hand_places) {
        machine->count[full ? TWF_COUNT_PUT_BACK : TWF_COUNT_DRAWN]++;
        twf_machine_tell(machine, full ? TWF_TYPE_PUT_BACK : TWF_TYPE_DRAWN, twf_locks_passed(machine, seat, position, full), 0);
    } else if (!full) {
        machine->count[TWF_COUNT_TAKEN]++;
        twf_machine_tell(machine, TWF_TYPE_TAKEN, seat, position);
    }
}

/* The fault stays when the lid is shut or the button released: a person says when motion may go on. */
static void interlock_edge(struct twf_machine *machine, uint8_t event, uint8_t fault, bool on) {
    twf_machine_tell(machine, event, on, 0);
    twf_machine_disturb(machine);
    if (on)
        machine->faults |= TWF_FAULT_BIT(fault);
}

static void safety_edge(struct twf_machine *machine, uint16_t number, bool on) {
    if (number == TWF_IN_LID_OPEN) {
        interlock_edge(machine, TWF_TYPE_LID, TWF_FAULT_LID, on);
    } else if (number == TWF_IN_ESTOP) {
        interlock_edge(machine, TWF_TYPE_ESTOP, TWF_FAULT_ESTOP, on);
        if (on)
            twf_locks_close(machine, TWF_ALL_SEATS);
    } else if (number == TWF_IN_WELL && on) {
        machine->well++;
        machine->well_told = false;
        machine->well_at_ms = machine->now_ms + WELL_QUIET_MS;
    }
}

static void chute_edge(struct twf_machine *machine, uint8_t chute) {
    const uint8_t gate = twf_table_gate_of_seat(&machine->table, chute % TWF_SEATS);
    twf_lane_passed(machine, gate, TWF_SENSOR_DIVERTED, chute);
}

/* Drum mouth, reject mouth, return lane or window of a gate; `number` is the first gate's. */
static void mouth_edge(struct twf_machine *machine, uint8_t gate, uint8_t number, bool on) {
    if (number == TWF_IN_RETURN_LANE)
        twf_lane_return_edge(machine, gate);
    else if (number == TWF_IN_GATE_FULL)
        twf_lane_gate_edge(machine, gate, on);
    else if (on)
        twf_lane_passed(machine, gate, number == TWF_IN_DRUM_MOUTH ? TWF_SENSOR_DRUM_IN : TWF_SENSOR_REJECT_IN, TWF_ALL_SEATS);
}

#if TWF_SEVERAL
/* What a machine with one gate has not. */
static void further_edge(struct twf_machine *machine, uint16_t number, bool on) {
    if (number >= TWF_IN_SECOND_AT_PLACE)
        return; /* asked after where a carriage comes to rest */
    if (number >= TWF_IN_FURTHER_GATES) {
        const uint8_t gate = (uint8_t)(1u + (number - TWF_IN_FURTHER_GATES) / 16u);
        const uint8_t own = (uint8_t)((number - TWF_IN_FURTHER_GATES) % 16u);
        if (own < 8u)
            twf_lane_cell_edge(machine, gate, own, on);
        else if (own < 12u)
            mouth_edge(machine, gate, (uint8_t)(TWF_IN_DRUM_MOUTH + own - 8u), on);
    } else if (number >= TWF_IN_EXCHANGER) {
        if (number < TWF_IN_EXCHANGER + TWF_EXCHANGERS)
            twf_exchangers_edge(machine, (uint8_t)(number - TWF_IN_EXCHANGER), on);
    } else if (number >= TWF_IN_POCKET) {
        if (on)
            twf_lane_pocketed(machine, (uint8_t)(number - TWF_IN_POCKET));
    } else if (number < TWF_IN_SECOND_PICKED) {
        if (on)
            chute_edge(machine, (uint8_t)(TWF_SEATS + number - TWF_IN_SECOND_CHUTE));
    } else if (number < TWF_IN_SECOND_HOME) {
        twf_shuttle_picked_edge(machine, (uint8_t)(TWF_SEATS + number - TWF_IN_SECOND_PICKED), on);
    }
}
#endif

static void switch_edge(struct twf_machine *machine, uint8_t number, bool on) {
    if (number < TWF_IN_DRUM_MOUTH) {
        if (on)
            chute_edge(machine, (uint8_t)(number - TWF_IN_CHUTE));
    } else if (number < TWF_IN_CELL_FULL) {
        mouth_edge(machine, 0, number, on);
    } else if (number < TWF_IN_BACK) {
        twf_lane_cell_edge(machine, 0, (uint8_t)(number - TWF_IN_CELL_FULL), on);
    } else if (number >= TWF_IN_REAR_LOCK_IS_OPEN && number < TWF_IN_PICKED) {
        twf_locks_edge(machine, (uint8_t)(TWF_REAR_GATE + number - TWF_IN_REAR_LOCK_IS_OPEN), on);
    }
}

/* The switch of a floor, of the lift or of the purge opens: only its own turn may do that. */
static void cam_leaves(struct twf_machine *machine, uint8_t number) {
    const bool tray = number < TWF_IN_MAGAZINE_FLOOR_SHUT;
    const uint8_t seat = number % TWF_SEATS;
    if (number == TWF_IN_PURGE_SHUT) {
        twf_machine_disagree(machine, TWF_WHERE_DRUM);
    } else if (number == TWF_IN_LIFT_DOWN) {
        if (machine->cams.lift == NULL)
            twf_machine_disagree(machine, TWF_WHERE_TABLE);
    } else if (number >= TWF_IN_TRAY_FLOOR_SHUT && !twf_cams_move(machine, tray ? TWF_CONTAINER_TRAY : TWF_CONTAINER_MAGAZINE, seat)) {
        twf_machine_disagree(machine, (uint8_t)((tray ? TWF_WHERE_TRAY : TWF_WHERE_MAGAZINE) + seat));
    }
}

static void slow_edge(struct twf_machine *machine, uint8_t number, bool on) {
    if (number < TWF_IN_HOME) {
        twf_shuttle_picked_edge(machine, (uint8_t)(number - TWF_IN_PICKED), on);
    } else if (number < TWF_IN_HOME + TWF_SEATS) {
        const uint8_t seat = (uint8_t)(number - TWF_IN_HOME);
        if (on && twf_axes_there(&machine->axes, seat) && machine->axes.axis[seat].target != 0)
            twf_machine_disagree(machine, (uint8_t)(TWF_WHERE_SHUTTLE + seat));
    } else if (number >= TWF_IN_LOCK_IS_OPEN && number < TWF_IN_LIFT_DOWN) {
        twf_locks_edge(machine, (uint8_t)(number - TWF_IN_LOCK_IS_OPEN), on);
    } else if (number == TWF_IN_DOOR_IS_OPEN || number == TWF_IN_DOOR_IS_SHUT) {
        if (on) {
            twf_edges_tell_well(machine); /* before the operation that moved the door ends */
            twf_cams_door_edge(machine);
        } else if (machine->cams.door == NULL) {
            twf_machine_disagree(machine, TWF_WHERE_WELL);
        }
    } else if (!on) {
        cam_leaves(machine, number);
    } else if (number >= TWF_IN_MAGAZINE_FLOOR_SHUT && number < TWF_IN_LOCK_IS_OPEN) {
        twf_cams_floor_edge(machine, TWF_CONTAINER_MAGAZINE, (uint8_t)(number - TWF_IN_MAGAZINE_FLOOR_SHUT));
    } else if (number >= TWF_IN_TRAY_FLOOR_SHUT && number < TWF_IN_MAGAZINE_FLOOR_SHUT) {
        twf_cams_floor_edge(machine, TWF_CONTAINER_TRAY, (uint8_t)(number - TWF_IN_TRAY_FLOOR_SHUT));
    }
}

static void edge(struct twf_machine *machine, uint16_t number, bool on) {
    const uint16_t place = (uint16_t)(number - TWF_IN_TRAY);
    if (number < TWF_IN_PICKED)
        switch_edge(machine, (uint8_t)number, on);
    else if (number < TWF_IN_TRAY)
        slow_edge(machine, (uint8_t)number, on);
    else if (number < TWF_IN_MAGAZINE)
        tray_edge(machine, (uint8_t)(place / TWF_MOST_PLACES), (uint8_t)(place % TWF_MOST_PLACES), on);
    else if (number < TWF_IN_LID_OPEN)
        magazine_edge(machine, (uint8_t)(place / TWF_MOST_PLACES - TWF_SEATS), (uint8_t)(place % TWF_MOST_PLACES), on);
#if TWF_SEVERAL
    else if (number >= TWF_IN_SECOND_CHUTE)
        further_edge(machine, number, on);
#endif
    else
        safety_edge(machine, number, on);
}

static void tell_edges(struct twf_machine *machine, uint8_t index, uint8_t changed, bool on) {
    for (uint8_t bit = 0; changed != 0 && bit < 8u; bit++)
        if (twf_bit(changed, bit))
            edge(machine, (uint16_t)(8u * index + bit), on);
}

/* What falls comes before what rises: a tile leaves one place before it reaches the next, also where both are seen at once. */
static void take_bytes(struct twf_machine *machine, uint8_t *reading, uint8_t first, uint8_t end) {
    uint8_t *changed = reading; /* in the place of each reading, what it changes */
    bool any = false;
    for (uint8_t index = first; index < end; index++) {
        const bool rests = twf_inputs_rest(&machine->inputs, index, reading[index]);
        changed[index] = rests ? 0 : twf_inputs_take(&machine->inputs, index, reading[index]);
        any = any || changed[index] != 0;
    }
    for (uint8_t index = first; any && index < end; index++)
        tell_edges(machine, index, (uint8_t)(changed[index] & (uint8_t)~machine->inputs.level[index]), false);
    for (uint8_t index = first; any && index < end; index++)
        tell_edges(machine, index, changed[index] & machine->inputs.level[index], true);
}

/* The first whole readings after a boot are taken as they are, and so is each in bring-up. */
static void adopt(struct twf_machine *machine, const uint8_t *reading) {
    if (machine->bring_up.on)
        machine->readings = 0;
    else if (++machine->readings < 2u)
        return;
    twf_inputs_adopt(&machine->inputs, reading);
    if (machine->bring_up.on)
        return;
    machine->adopted = true;
    if (twf_input(&machine->inputs, TWF_IN_LID_OPEN))
        safety_edge(machine, TWF_IN_LID_OPEN, true);
    if (twf_input(&machine->inputs, TWF_IN_ESTOP))
        safety_edge(machine, TWF_IN_ESTOP, true);
    twf_homing_begin(machine);
    twf_lane_adopt(machine);
}

/* Places come before what ends their motion: a floor or a lock that has shut. */
void twf_edges_read(struct twf_machine *machine) {
    uint8_t reading[TWF_INPUT_BYTES];
    const bool whole = machine->scan == 0;
    machine->scan = (uint8_t)((machine->scan + 1u) % TWF_SLOW_SCANS);
    hal_board_exchange(machine->outputs, reading, whole);
    if (machine->adopted) {
        take_bytes(machine, reading, TWF_IN_LID_OPEN / 8u, TWF_INPUT_BYTES);
        take_bytes(machine, reading, 0, TWF_FAST_BYTES);
        if (whole) {
            take_bytes(machine, reading, TWF_IN_TRAY / 8u, TWF_IN_LID_OPEN / 8u);
            take_bytes(machine, reading, TWF_FAST_BYTES, TWF_IN_TRAY / 8u);
        }
        watch_barriers(machine);
    } else if (whole) {
        adopt(machine, reading);
    }
}
