#include "cams.h"

#include <string.h>

#include "../board/bits.h"
#include "../sensors/gates.h"

#define PULSE_MS 20u
/* Switches above a floor that has shut, or a lift that reads as down, are read twice more before the turn ends. */
#define SETTLE_MS 10u
/* So long the lift waits for open gates, as a shutter may take to shut. */
#define GATE_MS 3000u
#define ALL_SEATS_MASK 0x0fu

static uint8_t seats_of(const struct twf_job *job) {
    const uint8_t seat = twf_job_seat(job);
    return seat == TWF_ALL_SEATS ? ALL_SEATS_MASK : twf_mask(seat);
}

static uint8_t container_of(const struct twf_job *job) {
    return job->command.argument[0];
}

void twf_cams_enqueue(struct twf_machine *machine, struct twf_job *job) {
    struct twf_cams *cams = &machine->cams;
    if (job->command.type == TWF_TYPE_DUMP) {
        cams->floors = job;
    } else if (job->command.type == TWF_TYPE_RAISE) {
        cams->lift = job;
        cams->phase_ms = 0;
    } else {
        cams->door = job;
    }
}

bool twf_cams_may_lift(const struct twf_machine *machine) {
    for (uint8_t i = 0; i < TWF_SEATS * TWF_PLACE_BYTES; i++)
        if (machine->inputs.level[TWF_IN_MAGAZINE / 8u + i] != 0)
            return false;
    return true;
}

/* No tray is emptied and no wall lifted around a gripper that is still down in it, or was told to work just now, whatever its barrier
   says, or stands over the tray until it has been loosened; one that stays down is told by its shuttle. A wall rises where carriages go,
   so they have to stand at chute or return lane, and into magazines, in whose gates no hand may be. */
static bool must_wait(const struct twf_machine *machine, const struct twf_job *job) {
    const bool lifts = job == machine->cams.lift;
    bool busy = lifts && twf_gates_stand_open(machine) != 0;
    for (uint8_t shuttle = 0; shuttle < twf_table_shuttles(&machine->table); shuttle++)
        busy = busy || machine->axes.axis[shuttle].waits_ms != 0 || machine->shuttle[shuttle].phase == TWF_SHUTTLE_LOOSENING
            || !twf_input(&machine->inputs, twf_in_gripper_up(shuttle)) || (lifts && !twf_axes_there(&machine->axes, shuttle));
    return busy && (lifts || container_of(job) == TWF_CONTAINER_TRAY);
}

static void pulse(struct twf_machine *machine, bool on) {
    const struct twf_cams *cams = &machine->cams;
    if (cams->floors != NULL) {
        const bool trays = container_of(cams->floors) == TWF_CONTAINER_TRAY;
        for (uint8_t seat = 0; seat < TWF_SEATS; seat++)
            if (twf_bit(seats_of(cams->floors), seat))
                twf_machine_output(machine, (uint8_t)((trays ? TWF_OUT_TRAY_FLOOR : TWF_OUT_MAGAZINE_FLOOR) + seat), on);
    }
    if (cams->lift != NULL)
        twf_machine_output(machine, TWF_OUT_LIFT, on);
}

static void begin_turn(struct twf_machine *machine, struct twf_job *job) {
    struct twf_cams *cams = &machine->cams;
    if (job == NULL || job->started || must_wait(machine, job))
        return;
    if (job == cams->lift && !twf_cams_may_lift(machine)) { /* the hand that it has waited for has put a tile back */
        job->aborted = true;
        twf_machine_end(machine, job);
        return;
    }
    job->started = true;
    if (job == cams->lift) {
        machine->kept.lift_out = TWF_LIFT_SET_OFF;
        memcpy(cams->rising, twf_input_places(&machine->inputs, TWF_IN_TRAY, 0), sizeof cams->rising);
    }
    cams->falling = job == cams->floors ? seats_of(job) : 0;
    cams->phase_ms = cams->away_ms = 0;
    cams->settle_ms = 0;
    cams->pulse_ms = PULSE_MS;
    pulse(machine, true);
}

static bool opens(const struct twf_job *job) {
    return job->command.type == TWF_TYPE_OPEN_WELL;
}

static void run_door(struct twf_machine *machine) {
    const struct twf_job *job = machine->cams.door;
    twf_machine_output(machine, TWF_OUT_DOOR_OPEN, job != NULL && opens(job));
    twf_machine_output(machine, TWF_OUT_DOOR_SHUT, job != NULL && !opens(job));
}

void twf_cams_begin(struct twf_machine *machine) {
    struct twf_cams *cams = &machine->cams;
    begin_turn(machine, cams->floors);
    begin_turn(machine, cams->lift);
    if (cams->door != NULL && !cams->door->started) {
        cams->door->started = true;
        cams->door_ms = 0;
        run_door(machine);
        twf_cams_door_edge(machine); /* it may stand there already */
    }
}

void twf_cams_door_edge(struct twf_machine *machine) {
    struct twf_job *job = machine->cams.door;
    if (job == NULL || !job->started)
        return;
    if (!twf_input(&machine->inputs, opens(job) ? TWF_IN_DOOR_IS_OPEN : TWF_IN_DOOR_IS_SHUT))
        return;
    twf_job_saw(job, TWF_SENSOR_DOOR_MOVED);
    twf_machine_end(machine, job);
    run_door(machine);
}

static void shut(struct twf_cams *cams, uint8_t seats) {
    if (cams->falling == 0)
        return;
    cams->falling &= (uint8_t)~seats;
    if (cams->falling == 0)
        cams->settle_ms = SETTLE_MS;
}

void twf_cams_floor_edge(struct twf_machine *machine, uint8_t container, uint8_t seat) {
    struct twf_cams *cams = &machine->cams;
    if (cams->floors != NULL && cams->floors->started && container_of(cams->floors) == container)
        shut(cams, twf_mask(seat));
}

void twf_cams_arrived(struct twf_machine *machine, uint8_t seat, uint8_t position) {
    machine->cams.rising[TWF_PLACE_BYTES * seat + position / 8u] &= (uint8_t)~twf_mask(position % 8u);
}

/* The first seat whose wall lacks a tile that its tray had: no gate was open, and what a hand has taken was seen before. */
static uint8_t lacking(const struct twf_machine *machine) {
    uint8_t seat = 0;
    for (; seat < TWF_SEATS; seat++) {
        const uint8_t *rising = machine->cams.rising + TWF_PLACE_BYTES * seat;
        const uint8_t *magazine = twf_input_places(&machine->inputs, TWF_IN_MAGAZINE, seat);
        for (uint8_t position = 0; position < machine->table.wall_places; position++)
            if (twf_bit_of(rising, position) && !twf_bit_of(magazine, position))
                return seat;
    }
    return seat;
}

/* A lift that has not brought its walls may be up still, whatever its switch says: the way home gives it time. */
static void end_turn(struct twf_machine *machine) {
    struct twf_cams *cams = &machine->cams;
    struct twf_job *job = cams->floors != NULL ? cams->floors : cams->lift;
    if (job == NULL)
        return;
    twf_job_saw(job, job == cams->floors ? TWF_SENSOR_FLOOR : TWF_SENSOR_RAISED);
    if (job == cams->lift) {
        const uint8_t seat = lacking(machine);
        if (seat < TWF_SEATS && !twf_table_manual(&machine->table)) {
            twf_machine_stuck(machine, TWF_FAULT_SENSORS_DISAGREE, (uint8_t)(TWF_WHERE_MAGAZINE + seat), job);
            return;
        }
        machine->kept.lift_out = 0;
    }
    twf_machine_end(machine, job);
}

static uint8_t left_of(uint8_t milliseconds, uint8_t elapsed_ms) {
    return (uint8_t)(milliseconds > elapsed_ms ? milliseconds - elapsed_ms : 0);
}

static uint16_t later(uint16_t milliseconds, uint8_t elapsed_ms) {
    return milliseconds <= UINT16_MAX - elapsed_ms ? (uint16_t)(milliseconds + elapsed_ms) : UINT16_MAX;
}

static uint8_t lowest(uint8_t seats) {
    uint8_t seat = 0;
    while (seat < TWF_SEATS && !twf_bit(seats, seat))
        seat++;
    return seat;
}

/* The lift's switch has been without it for a third of a turn and has it again. Before the time of its turn is over that is not believed. */
static bool is_down(const struct twf_machine *machine) {
    const struct twf_cams *cams = &machine->cams;
    return cams->away_ms >= twf_table_ms(&machine->table, TWF_RAISE_MS / 3u) &&
           (twf_table_manual(&machine->table) || twf_machine_late(machine, cams->phase_ms, TWF_RAISE_MS * 2u / 3u));
}

/* What does not come home in time is stuck: no floor, lift or door is tried again without a person. A lift that has brought its walls
 * and reads as down has a switch that does not tell. */
static void watch(struct twf_machine *machine, uint8_t elapsed_ms) {
    struct twf_cams *cams = &machine->cams;
    struct twf_job *turning = cams->floors != NULL ? cams->floors : cams->lift;
    const bool lifts = turning == cams->lift;
    if (turning != NULL && turning->started && (lifts || cams->falling != 0)) {
        const uint8_t part = container_of(turning) == TWF_CONTAINER_TRAY ? TWF_WHERE_TRAY : TWF_WHERE_MAGAZINE;
        const uint8_t where = lifts ? (uint8_t)TWF_WHERE_TABLE : (uint8_t)(part + lowest(cams->falling));
        cams->phase_ms = later(cams->phase_ms, elapsed_ms);
        const bool away = lifts && !twf_input(&machine->inputs, TWF_IN_LIFT_DOWN);
        const bool untold = lifts && !away && !twf_cams_may_lift(machine);
        if (away)
            cams->away_ms = later(cams->away_ms, elapsed_ms);
        if (lifts && !away && is_down(machine)) {
            if (cams->settle_ms == 0)
                cams->settle_ms = SETTLE_MS;
        } else if (twf_machine_late(machine, cams->phase_ms, lifts ? TWF_RAISE_MS : TWF_DUMP_MS))
            twf_machine_stuck(machine, untold ? TWF_FAULT_SENSORS_DISAGREE : TWF_FAULT_JAM, where, turning);
    }
    const uint8_t open = twf_gates_stand_open(machine);
    if (cams->lift != NULL && !cams->lift->started && open != 0) {
        cams->phase_ms = later(cams->phase_ms, elapsed_ms);
        if (cams->phase_ms > GATE_MS)
            twf_machine_stuck(machine, TWF_FAULT_LOCK, (uint8_t)(TWF_WHERE_MAGAZINE + lowest(open)), cams->lift);
    }
    if (cams->door != NULL && cams->door->started) {
        cams->door_ms = later(cams->door_ms, elapsed_ms);
        if (twf_machine_late(machine, cams->door_ms, TWF_DOOR_MS)) {
            twf_machine_stuck(machine, TWF_FAULT_WELL, TWF_WHERE_WELL, cams->door);
            run_door(machine);
        }
    }
}

/* A hand may be in a gate that is forced open above a lift on its turn, also while that is brought home. */
static void watch_hands(struct twf_machine *machine) {
    const uint8_t open = twf_gates_admit_hands(machine);
    if (machine->kept.lift_out != 0 && open != 0 && !twf_machine_stopped(machine) && !twf_table_manual(&machine->table))
        twf_machine_stuck(machine, TWF_FAULT_SENSORS_DISAGREE, (uint8_t)(TWF_WHERE_MAGAZINE + lowest(open)), machine->cams.lift);
}

void twf_cams_scan(struct twf_machine *machine, uint8_t elapsed_ms) {
    struct twf_cams *cams = &machine->cams;
    watch_hands(machine);
    if (!twf_machine_running(machine))
        return;
    if (cams->pulse_ms > 0) {
        cams->pulse_ms = left_of(cams->pulse_ms, elapsed_ms);
        if (cams->pulse_ms == 0)
            pulse(machine, false);
    }
    if (cams->settle_ms > 0) {
        cams->settle_ms = left_of(cams->settle_ms, elapsed_ms);
        if (cams->settle_ms == 0)
            end_turn(machine);
    }
    watch(machine, elapsed_ms);
}

bool twf_cams_move(const struct twf_machine *machine, uint8_t container, uint8_t seat) {
    const struct twf_cams *cams = &machine->cams;
    if (cams->lift != NULL && cams->lift->started)
        return true;
    const struct twf_job *job = cams->floors;
    return job != NULL && job->started && container_of(job) == container && twf_bit(seats_of(job), seat);
}

bool twf_cams_will_drop(const struct twf_machine *machine, uint8_t seat) {
    const struct twf_job *job = machine->cams.floors;
    return job != NULL && container_of(job) == TWF_CONTAINER_MAGAZINE && twf_bit(seats_of(job), seat);
}

bool twf_cams_well_open(const struct twf_machine *machine) {
    const struct twf_job *job = machine->cams.door;
    return !twf_input(&machine->inputs, TWF_IN_DOOR_IS_SHUT) || (job != NULL && opens(job));
}

void twf_cams_rest(struct twf_machine *machine) {
    struct twf_cams *cams = &machine->cams;
    run_door(machine);
    cams->falling = 0;
    cams->settle_ms = 0;
}

void twf_cams_forget(struct twf_machine *machine, const struct twf_job *job) {
    struct twf_cams *cams = &machine->cams;
    if (cams->floors == job || cams->lift == job) {
        pulse(machine, false);
        cams->falling = 0;
    }
    if (cams->floors == job)
        cams->floors = NULL;
    if (cams->lift == job)
        cams->lift = NULL;
    if (cams->door == job)
        cams->door = NULL;
}
