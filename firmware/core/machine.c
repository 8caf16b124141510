#include "machine.h"

#include <string.h>

/* The contactor closes within this. */
#define POWER_UP_MS 30u

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

void twf_machine_power(struct twf_machine *machine, bool on) {
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
        twf_machine_power(machine, false);
    if (job == NULL)
        return;
    job->failed = true;
    twf_machine_end(machine, job);
}

void twf_machine_disagree(struct twf_machine *machine, uint8_t where) {
    if (!twf_table_manual(&machine->table) && !twf_machine_stopped(machine) && !machine->homing.going)
        twf_machine_stuck(machine, TWF_FAULT_SENSORS_DISAGREE, where, NULL);
}

static void count_ended(struct twf_machine *machine, uint16_t sensors) {
    static const uint16_t counted[] = {TWF_SENSOR_DROPPED,      TWF_SENSOR_CELL_IN, TWF_SENSOR_CELL_OUT, TWF_SENSOR_GATE_ENTERED,
                                       TWF_SENSOR_DRUM_IN, TWF_SENSOR_REJECT_IN, TWF_SENSOR_FLOOR};
    for (uint8_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        if ((sensors & counted[i]) != 0)
            machine->count[TWF_COUNT_PLACED + i]++;
}

void twf_machine_end(struct twf_machine *machine, struct twf_job *job) {
    count_ended(machine, job->sensors);
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
