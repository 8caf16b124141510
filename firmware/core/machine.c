#include "machine.h"

#include <string.h>

#include "bits.h"
#include "cams.h"
#include "hal.h"
#include "lane.h"
#include "locks.h"
#include "motion.h"
#include "shuttle.h"

/* The well's count is told once no tile has fallen for so long. */
#define WELL_QUIET_MS 200u
/* The contactor closes within this. */
#define POWER_UP_MS 30u
#define BIT(code) ((uint16_t)(1u << (code)))
/* Faults after which nothing moves until a person has freed the part. */
#define STUCK (BIT(TWF_FAULT_JAM) | BIT(TWF_FAULT_SHUTTLE))

void twf_machine_init(struct twf_machine *machine, twf_finished *finished) {
    memset(&machine->lane, 0, sizeof machine->lane);
    memset(machine->shuttle, 0, sizeof machine->shuttle);
    memset(&machine->cams, 0, sizeof machine->cams);
    memset(&machine->locks, 0, sizeof machine->locks);
    memset(machine->outputs, 0, sizeof machine->outputs);
    memset(machine->count, 0, sizeof machine->count);
    twf_inputs_init(&machine->inputs);
    twf_events_init(&machine->events);
    twf_jobs_init(&machine->jobs);
    twf_axes_init(&machine->axes, &machine->table);
    machine->finished = finished;
    machine->now_ms = 0;
    machine->well = 0;
    machine->faults = 0;
    machine->disagreeing = 0;
    machine->scan = 0;
    machine->readings = 0;
    machine->adopted = machine->feeding = machine->powered = machine->allowed = machine->motors_on = false;
    machine->power_ms = 0;
    machine->well_told = true;
    machine->cams.homing = true;
    machine->lane.stands_at = UINT8_MAX; /* nobody knows */
}

/* State ------------------------------------------------------------------------------------------------------------- */

bool twf_machine_stopped(const struct twf_machine *machine) {
    return twf_input(&machine->inputs, TWF_IN_LID_OPEN) || twf_input(&machine->inputs, TWF_IN_ESTOP) ||
           (machine->faults & (BIT(TWF_FAULT_ESTOP) | BIT(TWF_FAULT_STOP) | STUCK)) != 0;
}

bool twf_machine_running(const struct twf_machine *machine) {
    return machine->motors_on && machine->power_ms == 0;
}

uint8_t twf_machine_flags(const struct twf_machine *machine) {
    const struct twf_inputs *inputs = &machine->inputs;
    uint8_t flags = 0;
    if (twf_input(inputs, TWF_IN_GATE_FULL))
        flags |= TWF_FLAG_GATE_OCCUPIED;
    if (twf_input(inputs, TWF_IN_DRUM_EMPTY))
        flags |= TWF_FLAG_DRUM_EMPTY;
    if (twf_input(inputs, TWF_IN_LID_OPEN))
        flags |= TWF_FLAG_LID_OPEN;
    if (twf_input(inputs, TWF_IN_ESTOP))
        flags |= TWF_FLAG_ESTOP;
    if (!twf_input(inputs, TWF_IN_DOOR_IS_SHUT))
        flags |= TWF_FLAG_WELL_OPEN;
    if (machine->feeding)
        flags |= TWF_FLAG_FEEDING;
    if (machine->motors_on)
        flags |= TWF_FLAG_MOTORS_ON;
    return flags;
}

bool twf_machine_late(const struct twf_machine *machine, uint16_t since_ms, uint16_t reference_ms) {
    /* Half as long again, and what two readings of a switch and the outputs' turn may cost; a simulated machine that runs faster
     * than a real one lives in processes that wait for each other by the wall's clock. */
    const uint16_t slack_ms = machine->table.speed_percent > 100u ? 200u : 20u;
    return since_ms > twf_table_ms(&machine->table, reference_ms + reference_ms / 2u) + slack_ms;
}

static void power_motors(struct twf_machine *machine, bool on) {
    if (on == machine->motors_on)
        return;
    machine->motors_on = on;
    machine->power_ms = on ? POWER_UP_MS : 0;
    twf_machine_output(machine, TWF_OUT_MOTOR_POWER, on);
    if (on)
        twf_cams_purge(machine);
    else
        twf_axes_power(&machine->axes, false);
}

/* What modules tell ---------------------------------------------------------------------------------------------------- */

static void tell(struct twf_machine *machine, uint8_t type, uint8_t first, uint8_t second) {
    const struct twf_event event = {.type = type, .first = first, .second = second, .width = 0, .operation = 0};
    twf_events_add(&machine->events, &event);
}

void twf_machine_fault(struct twf_machine *machine, uint8_t code, uint8_t where, uint32_t operation) {
    const struct twf_event event = {.type = TWF_TYPE_FAULT, .first = code, .second = where, .width = 0, .operation = operation};
    machine->faults |= BIT(code);
    twf_events_add(&machine->events, &event);
}

void twf_machine_stuck(struct twf_machine *machine, uint8_t code, uint8_t where, struct twf_job *job) {
    twf_machine_fault(machine, code, where, job != NULL ? job->operation : 0);
    power_motors(machine, false);
    if (job == NULL)
        return;
    job->failed = true;
    twf_machine_end(machine, job);
}

static void count_ended(struct twf_machine *machine, uint16_t sensors) {
    static const uint16_t counted[] = {TWF_SENSOR_DROPPED,      TWF_SENSOR_CELL_IN, TWF_SENSOR_CELL_OUT, TWF_SENSOR_GATE_ENTERED,
                                       TWF_SENSOR_DRUM_IN, TWF_SENSOR_REJECT_IN, TWF_SENSOR_FLOOR};
    for (uint8_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        if ((sensors & counted[i]) != 0)
            machine->count[TWF_COUNT_PLACED + i]++;
}

/* Nothing may refer to a job that has ended, however strangely its edges came. */
static void forget(struct twf_machine *machine, const struct twf_job *job) {
    for (uint8_t gate = 0; gate < TWF_GATES; gate++)
        if (machine->locks.opening[gate] == job)
            machine->locks.opening[gate] = NULL;
    twf_lane_forget(machine, job);
    for (uint8_t seat = 0; seat < TWF_SEATS; seat++)
        twf_shuttle_forget(machine, seat, job);
    twf_cams_forget(machine, job);
}

void twf_machine_end(struct twf_machine *machine, struct twf_job *job) {
    count_ended(machine, job->sensors);
    forget(machine, job);
    machine->finished(machine, job);
    job->operation = 0;
}

static bool is_lock_job(const struct twf_job *job) {
    return job->command.type == TWF_TYPE_UNLOCK;
}

void twf_machine_disturb(struct twf_machine *machine) {
    for (uint8_t i = 0; i < TWF_MOST_JOBS; i++) {
        struct twf_job *job = &machine->jobs.job[i];
        if (job->operation != 0 && job->started && !is_lock_job(job))
            job->disturbed = true;
    }
}

/* Edges ------------------------------------------------------------------------------------------------------------------ */

static void tell_well(struct twf_machine *machine) {
    if (machine->well_told)
        return;
    machine->well_told = true;
    tell(machine, TWF_TYPE_WELL, (uint8_t)(machine->well & 0xffu), (uint8_t)(machine->well >> 8 & 0xffu));
}

/* A switch that changes although nothing moves its tile: a hand in the machine, or a switch that lies. Each tray is told once. */
static void disagree(struct twf_machine *machine, uint8_t seat) {
    const uint8_t bit = twf_mask(seat);
    if ((machine->disagreeing & bit) != 0)
        return;
    machine->disagreeing |= bit;
    twf_machine_fault(machine, TWF_FAULT_SENSORS_DISAGREE, (uint8_t)(TWF_WHERE_TRAY + seat), 0);
}

static void tray_edge(struct twf_machine *machine, uint8_t seat, uint8_t position, bool full) {
    if (twf_cams_move(machine, TWF_CONTAINER_TRAY, seat))
        return;
    if (!twf_shuttle_tray_edge(machine, seat, position, full))
        disagree(machine, seat);
}

static void magazine_edge(struct twf_machine *machine, uint8_t seat, uint8_t position, bool full) {
    if (twf_cams_move(machine, TWF_CONTAINER_MAGAZINE, seat))
        return;
    if (position >= machine->table.hand_places) {
        machine->count[full ? TWF_COUNT_PUT_BACK : TWF_COUNT_DRAWN]++;
        tell(machine, full ? TWF_TYPE_PUT_BACK : TWF_TYPE_DRAWN, twf_locks_passed(machine, seat, position, full), 0);
    } else if (!full) {
        machine->count[TWF_COUNT_TAKEN]++;
        tell(machine, TWF_TYPE_TAKEN, seat, position);
    }
}

static void estop_edge(struct twf_machine *machine, bool on) {
    tell(machine, TWF_TYPE_ESTOP, on, 0);
    twf_machine_disturb(machine);
    if (on) {
        machine->faults |= BIT(TWF_FAULT_ESTOP);
        twf_locks_close(machine, TWF_ALL_SEATS);
    }
}

static void safety_edge(struct twf_machine *machine, uint16_t number, bool on) {
    if (number == TWF_IN_LID_OPEN) {
        tell(machine, TWF_TYPE_LID, on, 0);
        twf_machine_disturb(machine);
    } else if (number == TWF_IN_ESTOP) {
        estop_edge(machine, on);
    } else if (number == TWF_IN_WELL && on) {
        machine->well++;
        machine->well_told = false;
        machine->well_at_ms = machine->now_ms + WELL_QUIET_MS;
    }
}

static void switch_edge(struct twf_machine *machine, uint8_t number, bool on) {
    if (number < TWF_IN_DRUM_MOUTH) {
        if (on)
            twf_lane_passed(machine, TWF_SENSOR_DIVERTED, (uint8_t)(number - TWF_IN_CHUTE));
    } else if (number == TWF_IN_DRUM_MOUTH || number == TWF_IN_REJECT_MOUTH) {
        if (on)
            twf_lane_passed(machine, number == TWF_IN_DRUM_MOUTH ? TWF_SENSOR_DRUM_IN : TWF_SENSOR_REJECT_IN, TWF_ALL_SEATS);
    } else if (number == TWF_IN_RETURN_LANE) {
        twf_lane_return_edge(machine, on);
    } else if (number == TWF_IN_GATE_FULL) {
        twf_lane_gate_edge(machine, on);
    } else if (number < TWF_IN_BACK) {
        twf_lane_cell_edge(machine, (uint8_t)(number - TWF_IN_CELL_FULL), on);
    } else if (number >= TWF_IN_REAR_LOCK_IS_OPEN && number < TWF_IN_PICKED) {
        twf_locks_edge(machine, (uint8_t)(TWF_REAR_GATE + number - TWF_IN_REAR_LOCK_IS_OPEN), on);
    }
}

static void slow_edge(struct twf_machine *machine, uint8_t number, bool on) {
    if (number < TWF_IN_HOME) {
        twf_shuttle_picked_edge(machine, (uint8_t)(number - TWF_IN_PICKED), on);
    } else if (number >= TWF_IN_LOCK_IS_OPEN && number < TWF_IN_LIFT_DOWN) {
        twf_locks_edge(machine, (uint8_t)(number - TWF_IN_LOCK_IS_OPEN), on);
    } else if (number == TWF_IN_DOOR_IS_OPEN || number == TWF_IN_DOOR_IS_SHUT) {
        if (on) {
            tell_well(machine); /* before the operation that moved the door ends */
            twf_cams_door_edge(machine);
        }
    } else if (on && number == TWF_IN_LIFT_DOWN) {
        twf_cams_lift_edge(machine);
    } else if (on && number >= TWF_IN_MAGAZINE_FLOOR_SHUT && number < TWF_IN_LOCK_IS_OPEN) {
        twf_cams_floor_edge(machine, TWF_CONTAINER_MAGAZINE, (uint8_t)(number - TWF_IN_MAGAZINE_FLOOR_SHUT));
    } else if (on && number >= TWF_IN_TRAY_FLOOR_SHUT && number < TWF_IN_MAGAZINE_FLOOR_SHUT) {
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

/* The first whole readings after a boot are taken as they are. */
static void adopt(struct twf_machine *machine, const uint8_t *reading) {
    if (++machine->readings < 2u)
        return;
    twf_inputs_adopt(&machine->inputs, reading);
    machine->adopted = true;
    if (twf_input(&machine->inputs, TWF_IN_LID_OPEN))
        safety_edge(machine, TWF_IN_LID_OPEN, true);
    if (twf_input(&machine->inputs, TWF_IN_ESTOP))
        safety_edge(machine, TWF_IN_ESTOP, true);
    twf_lane_adopt(machine);
}

/* Places come before what ends their motion: a floor that has shut, a lock that has sprung. */
static void read_inputs(struct twf_machine *machine) {
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
    } else if (whole) {
        adopt(machine, reading);
    }
}

void twf_machine_scan(struct twf_machine *machine, uint8_t elapsed_ms) {
    machine->now_ms += elapsed_ms;
    read_inputs(machine);
    if (!machine->adopted)
        return;
    if (machine->power_ms > 0) {
        machine->power_ms = (uint8_t)(machine->power_ms > elapsed_ms ? machine->power_ms - elapsed_ms : 0);
        if (machine->power_ms == 0 && machine->motors_on)
            twf_axes_power(&machine->axes, true);
    }
    if (!machine->well_told && (int32_t)(machine->now_ms - machine->well_at_ms) >= 0)
        tell_well(machine);
    twf_axes_ramp(&machine->axes, (uint8_t)(machine->inputs.level[TWF_IN_HOME / 8u] >> (TWF_IN_HOME % 8u) & 0x0fu));
    twf_lane_scan(machine, elapsed_ms);
    twf_shuttle_scan(machine, elapsed_ms);
    twf_cams_scan(machine, elapsed_ms);
    twf_locks_scan(machine, elapsed_ms);
}

void twf_machine_settle(struct twf_machine *machine) {
    if (machine->events.lost)
        machine->faults |= BIT(TWF_FAULT_INTERNAL);
    power_motors(machine, machine->adopted && !twf_machine_stopped(machine) && (machine->powered || machine->cams.homing));
    twf_motion_begin(machine);
}

/* Operations --------------------------------------------------------------------------------------------------------------- */

static struct twf_answer nak(uint8_t code) {
    const struct twf_answer answer = {.type = TWF_TYPE_NAK, .code = code, .sensors = 0, .ms = 0};
    return answer;
}

/* DONE at once, or NAK where there is a code of refusal. */
static struct twf_answer at_once(uint8_t refusal) {
    const struct twf_answer done = {.type = TWF_TYPE_DONE, .code = TWF_RESULT_OK, .sensors = 0, .ms = 0};
    return refusal != 0 ? nak(refusal) : done;
}

static struct twf_answer taken_on(void) {
    const struct twf_answer answer = {.type = TWF_TYPE_ACK, .code = 0, .sensors = 0, .ms = 0};
    return answer;
}

static uint8_t feed(struct twf_machine *machine) {
    if (twf_machine_stopped(machine))
        return TWF_NAK_STOPPED;
    if (twf_cams_well_open(machine))
        return TWF_NAK_WELL_OPEN;
    machine->feeding = true;
    return 0;
}

static struct twf_answer unlock(struct twf_machine *machine, uint32_t operation, const struct twf_command *command) {
    const uint8_t gate = command->argument[0];
    const uint32_t lease_ms = twf_get_u32(command->argument + 1);
    const uint8_t refusal = twf_locks_refusal(machine, gate);
    if (refusal != 0 || twf_locks_renew(machine, gate, lease_ms))
        return at_once(refusal);
    struct twf_job *job = twf_jobs_add(&machine->jobs, operation, command, machine->now_ms);
    if (job == NULL)
        return nak(TWF_NAK_BUSY);
    twf_locks_open(machine, job, gate, lease_ms);
    return taken_on();
}

static uint8_t lock(struct twf_machine *machine, uint8_t gate) {
    if (gate >= TWF_GATES && gate != TWF_ALL_SEATS)
        return TWF_NAK_NO_SUCH_PLACE;
    twf_locks_close(machine, gate);
    return 0;
}

/* Every moving part comes to rest, what was on its way falls into the drum, and every job ends without being trusted. */
static void go_home(struct twf_machine *machine) {
    for (uint8_t i = 0; i < TWF_MOST_JOBS; i++) {
        struct twf_job *job = &machine->jobs.job[i];
        if (job->operation == 0 || is_lock_job(job))
            continue;
        job->disturbed = job->started;
        job->aborted = !job->started;
        twf_machine_end(machine, job);
    }
    machine->feeding = false;
    twf_shuttle_home(machine);
    twf_cams_home(machine);
}

static uint8_t clear(struct twf_machine *machine, uint8_t fault) {
    if ((fault == TWF_FAULT_ESTOP && twf_input(&machine->inputs, TWF_IN_ESTOP)) ||
        (fault == TWF_FAULT_LID && twf_input(&machine->inputs, TWF_IN_LID_OPEN)))
        return TWF_NAK_STILL_THERE;
    if ((machine->faults & STUCK & BIT(fault)) != 0)
        go_home(machine);
    machine->faults &= (uint16_t)~BIT(fault);
    if (fault == TWF_FAULT_SENSORS_DISAGREE) {
        machine->disagreeing = 0;
    } else if (fault == TWF_FAULT_INTERNAL) {
        machine->events.lost = false;
    }
    return 0;
}

static struct twf_answer move(struct twf_machine *machine, uint32_t operation, const struct twf_command *command) {
    const uint8_t refusal = twf_machine_stopped(machine) ? (uint8_t)TWF_NAK_STOPPED : twf_motion_refusal(machine, command);
    if (refusal != 0)
        return nak(refusal);
    struct twf_job *job = twf_jobs_add(&machine->jobs, operation, command, machine->now_ms);
    if (job == NULL)
        return nak(TWF_NAK_BUSY);
    twf_motion_enqueue(machine, job);
    if (command->type == TWF_TYPE_OPEN_WELL) {
        machine->feeding = false;
        machine->well = 0;
    } else if (command->type == TWF_TYPE_DUMP && command->argument[0] == TWF_CONTAINER_MAGAZINE) {
        const uint8_t seat = command->argument[1];
        twf_locks_close(machine, seat);
        if (seat != TWF_ALL_SEATS)
            twf_locks_close(machine, (uint8_t)(TWF_REAR_GATE + seat));
    }
    return taken_on();
}

struct twf_answer twf_machine_perform(struct twf_machine *machine, uint32_t operation, const struct twf_command *command) {
    switch (command->type) {
    case TWF_TYPE_FEED:
        return at_once(feed(machine));
    case TWF_TYPE_HOLD:
        machine->feeding = false;
        return at_once(0);
    case TWF_TYPE_UNLOCK:
        return unlock(machine, operation, command);
    case TWF_TYPE_RENEW:
        return at_once(twf_locks_renew(machine, command->argument[0], twf_get_u32(command->argument + 1)) ? 0 : TWF_NAK_NOT_OPEN);
    case TWF_TYPE_LOCK:
        return at_once(lock(machine, command->argument[0]));
    case TWF_TYPE_SENSE: /* every change is compared when it comes: what there was to tell has been told */
        return at_once(0);
    case TWF_TYPE_CLEAR:
        return at_once(clear(machine, command->argument[0]));
    case TWF_TYPE_STOP:
        machine->faults |= BIT(TWF_FAULT_STOP);
        twf_machine_disturb(machine);
        return at_once(0);
    default:
        return move(machine, operation, command);
    }
}
