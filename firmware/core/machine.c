#include "machine.h"

#include <string.h>

#include "motion/cams.h"
#include "motion/exchangers.h"
#include "motion/homing.h"
#include "motion/lane.h"
#include "motion/motion.h"
#include "motion/shuttle.h"
#include "operations/bring_up.h"
#include "operations/locks.h"
#include "sensors/edges.h"

/* The contactor closes within this, and has opened, with no charge left behind it, within that. */
#define POWER_UP_MS 30u
#define POWER_DOWN_MS 2000u
/* Lid and emergency stop, which cut the drivers' supply, are known before this. */
#define DRIVER_MS 20u
/* At rest for so long nothing needs current. */
#define IDLE_MS 10000u
#define MOVING_OUTPUTS (1u << TWF_OUT_DRUM % 8u | 1u << TWF_OUT_BELT % 8u)

void twf_machine_init(struct twf_machine *machine, twf_finished *finished) {
    twf_machine_forget_lanes(machine);
#if TWF_SEVERAL
    memset(machine->exchanger, 0, sizeof machine->exchanger);
    memset(&machine->pockets, 0, sizeof machine->pockets);
#endif
    memset(machine->shuttle, 0, sizeof machine->shuttle);
    memset(&machine->cams, 0, sizeof machine->cams);
    memset(&machine->locks, 0, sizeof machine->locks);
    machine->locks.drawn = UINT8_MAX; /* one that still is drawn has been counted before */
    memset(&machine->bring_up, 0, sizeof machine->bring_up);
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
    memset(machine->dark, 0, sizeof machine->dark);
    machine->dark_ms = 0;
    machine->driver_ms = machine->idle_ms = machine->drum_ms = 0;
    machine->drum_empty = false;
    machine->scan = 0;
    machine->readings = 0;
    machine->adopted = machine->feeding = machine->powered = machine->allowed = machine->motors_on = false;
    machine->power_ms = 0;
    machine->well_told = true;
    memset(&machine->homing, 0, sizeof machine->homing);
    machine->homing.going = true;
}

void twf_machine_forget_lanes(struct twf_machine *machine) {
    memset(machine->lane, 0, sizeof machine->lane);
    for (uint8_t gate = 0; gate < TWF_READING_GATES; gate++)
        machine->lane[gate].stands_at = UINT8_MAX; /* nobody knows */
}

/* State ------------------------------------------------------------------------------------------------------------- */

bool twf_machine_stopped(const struct twf_machine *machine) {
    return (machine->faults & TWF_STOPPING_FAULTS) != 0;
}

bool twf_machine_running(const struct twf_machine *machine) {
    return machine->motors_on && machine->power_ms == 0;
}

uint8_t twf_machine_flags(const struct twf_machine *machine) {
    const struct twf_inputs *inputs = &machine->inputs;
    uint8_t flags = 0;
    for (uint8_t gate = 0; gate < twf_table_gates(&machine->table); gate++)
        if (twf_input(inputs, twf_in_at(TWF_IN_GATE_FULL, gate)))
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

bool twf_machine_late(const struct twf_machine *machine, uint32_t since_ms, uint16_t reference_ms) {
    /* Half as long again, and what two readings of a switch and the outputs' turn may cost; a simulated machine that runs faster
     * than a real one lives in processes that wait for each other by the wall's clock. */
    if (twf_table_manual(&machine->table))
        return false;
    const uint16_t slack_ms = machine->table.speed_percent > 100u ? 200u : 20u;
    return since_ms > twf_table_ms(&machine->table, reference_ms + reference_ms / 2u) + slack_ms;
}

bool twf_machine_way_late(const struct twf_machine *machine, uint16_t since_ms, uint16_t reference_ms) {
    return since_ms > TWF_SLOWLY_MS && twf_machine_late(machine, since_ms - TWF_SLOWLY_MS, TWF_FIND_MS + reference_ms);
}

/* At boot a gripper may stand shut around nothing; it opens with the current, and its carriage waits for it. */
static uint16_t power_up_ms(const struct twf_machine *machine) {
    return (uint16_t)(POWER_UP_MS + (machine->homing.going ? twf_table_ms(&machine->table, TWF_DROP_MS) : 0u));
}

static void power_motors(struct twf_machine *machine, bool on) {
    if (on == machine->motors_on)
        return;
    machine->motors_on = on;
    machine->power_ms = on ? power_up_ms(machine) : 0;
    twf_machine_output(machine, TWF_OUT_MOTOR_POWER, on);
    if (!on)
        twf_axes_power(&machine->axes, false);
}

/* What modules tell ---------------------------------------------------------------------------------------------------- */

void twf_machine_tell(struct twf_machine *machine, uint8_t type, uint8_t first, uint8_t second) {
    const struct twf_event event = {.type = type, .first = first, .second = second, .width = 0, .operation = 0};
    twf_events_add(&machine->events, &event);
}

void twf_machine_fault(struct twf_machine *machine, uint8_t code, uint8_t where, uint32_t operation) {
    const struct twf_event event = {.type = TWF_TYPE_FAULT, .first = code, .second = where, .width = 0, .operation = operation};
    machine->faults |= TWF_FAULT_BIT(code);
    twf_events_add(&machine->events, &event);
}

void twf_machine_stuck(struct twf_machine *machine, uint8_t code, uint8_t where, struct twf_job *job) {
    twf_machine_fault(machine, code, where, job != NULL ? job->operation : 0);
    if ((TWF_STUCK_FAULTS & TWF_FAULT_BIT(code)) != 0)
        power_motors(machine, false);
    if (job == NULL)
        return;
    job->failed = true;
    twf_machine_end(machine, job);
}

void twf_machine_disagree(struct twf_machine *machine, uint8_t where) {
    if (!twf_table_manual(&machine->table) && !twf_machine_stopped(machine) && !machine->homing.going)
        twf_machine_stuck(machine, TWF_FAULT_SENSORS_DISAGREE, where, NULL);
}

/* The line of the drivers' faults lives on the motors' supply: it is low while a driver is hot, overloaded or stalled, and without supply. */
static void watch_drivers(struct twf_machine *machine, uint8_t elapsed_ms) {
    const bool low = twf_input(&machine->inputs, TWF_IN_DRIVER_FAULT);
    const bool wrong = machine->motors_on ? low && twf_machine_running(machine) : !low;
    if (!wrong || (machine->faults & TWF_FAULT_BIT(TWF_FAULT_DRIVER)) != 0) {
        machine->driver_ms = 0;
        return;
    }
    machine->driver_ms = (uint16_t)(machine->driver_ms + elapsed_ms);
    if (machine->driver_ms < (machine->motors_on ? DRIVER_MS : POWER_DOWN_MS))
        return;
    const uint8_t alone = twf_axes_alone(&machine->axes);
    const bool stalled = machine->motors_on && alone < TWF_SHUTTLES;
    twf_machine_stuck(machine, TWF_FAULT_DRIVER, (uint8_t)(stalled ? TWF_WHERE_SHUTTLE + alone : TWF_WHERE_TABLE), NULL);
}

static void watch_rest(struct twf_machine *machine, uint8_t elapsed_ms) {
    bool rests = !machine->homing.going && (machine->outputs[TWF_OUT_DRUM / 8u] & MOVING_OUTPUTS) == 0;
    for (uint8_t i = 0; rests && i < TWF_MOST_JOBS; i++)
        rests = machine->jobs.job[i].operation == 0 || twf_job_locks(&machine->jobs.job[i]);
    if (!rests)
        machine->idle_ms = 0;
    else if (machine->idle_ms < IDLE_MS)
        machine->idle_ms = (uint16_t)(machine->idle_ms + elapsed_ms);
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
    twf_exchangers_forget(machine, job);
    for (uint8_t shuttle = 0; shuttle < TWF_SHUTTLES; shuttle++)
        twf_shuttle_forget(machine, shuttle, job);
    twf_cams_forget(machine, job);
}

void twf_machine_end(struct twf_machine *machine, struct twf_job *job) {
    count_ended(machine, job->sensors);
    forget(machine, job);
    machine->finished(machine, job);
    job->operation = 0;
}

void twf_machine_disturb(struct twf_machine *machine) {
    for (uint8_t i = 0; i < TWF_MOST_JOBS; i++) {
        struct twf_job *job = &machine->jobs.job[i];
        if (job->operation != 0 && job->started && !twf_job_locks(job))
            job->disturbed = true;
    }
}

/* A bit for each shuttle, given where the signals of the seats' first and of their second ones begin. */
static uint8_t of_shuttles(const struct twf_machine *machine, uint16_t first, uint16_t second) {
    const uint8_t *level = machine->inputs.level;
    const uint8_t firsts = (uint8_t)((unsigned)level[first / 8u] >> (first % 8u) & 0x0fu);
#if TWF_SEVERAL
    return (uint8_t)(firsts | ((unsigned)level[second / 8u] >> (second % 8u) & 0x0fu) << 4u);
#else
    (void)second;
    return firsts;
#endif
}

uint8_t twf_machine_gate_of(const struct twf_machine *machine, const struct twf_command *command) {
    if (twf_table_gates(&machine->table) == 1u)
        return 0;
    switch (command->type) {
    case TWF_TYPE_PLACE:
        return command->argument[2];
    case TWF_TYPE_RECIRCULATE:
    case TWF_TYPE_REJECT:
        return command->argument[0];
    case TWF_TYPE_BYPASS:
    case TWF_TYPE_RELEASE:
        return twf_table_gate_of_cell(&machine->table, command->argument[0]);
    case TWF_TYPE_RETURN:
        return twf_table_gate_of_seat(&machine->table, command->argument[0]);
    default:
        return 0;
    }
}

void twf_machine_scan(struct twf_machine *machine, uint8_t elapsed_ms) {
    machine->now_ms += elapsed_ms;
    twf_edges_read(machine);
    if (machine->adopted || machine->bring_up.on)
        twf_locks_watch(machine);
    twf_bring_up_scan(machine, elapsed_ms);
    if (!machine->adopted)
        return;
    if (machine->power_ms > 0)
        machine->power_ms = (uint16_t)(machine->power_ms > elapsed_ms ? machine->power_ms - elapsed_ms : 0);
    twf_axes_power(&machine->axes, twf_machine_running(machine) && twf_homing_way_is_free(machine));
    watch_drivers(machine, elapsed_ms);
    watch_rest(machine, elapsed_ms);
    if ((int32_t)(machine->now_ms - machine->well_at_ms) >= 0)
        twf_edges_tell_well(machine);
    twf_axes_ramp(&machine->axes, of_shuttles(machine, twf_in_home(0), twf_in_home(TWF_SEATS)),
                  of_shuttles(machine, twf_in_gripper_up(0), twf_in_gripper_up(TWF_SEATS)));
    twf_lane_scan(machine, elapsed_ms);
    twf_exchangers_scan(machine, elapsed_ms);
    twf_shuttle_scan(machine, elapsed_ms);
    twf_cams_scan(machine, elapsed_ms);
    twf_homing_scan(machine, elapsed_ms);
    twf_locks_scan(machine, elapsed_ms);
}

void twf_machine_settle(struct twf_machine *machine) {
    if (machine->bring_up.on)
        return;
    if (machine->events.lost)
        machine->faults |= TWF_FAULT_BIT(TWF_FAULT_INTERNAL);
    const bool needed = machine->homing.going || (machine->powered && machine->idle_ms < IDLE_MS);
    power_motors(machine, machine->adopted && !twf_machine_stopped(machine) && needed);
    twf_motion_begin(machine);
}
