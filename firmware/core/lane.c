#include "lane.h"

#include <string.h>

#include "cams.h"
#include "hal.h"
#include "shuttle.h"

/* GATE_BEAM sees a tile at 400 mm/s and speed 1: its pulse in µs over this is its width in tenths of a millimetre. */
#define PULSE_US_PER_TENTH 250u
/* A longer pulse is a tile that has stopped in the barrier; with any speed the product stays within 32 bits. */
#define LONGEST_PULSE_US 70000u
#define ENTERING_MS 400u
#define JOG_US 20u

static void start(struct twf_lane *lane, uint8_t phase) {
    lane->phase = phase;
    lane->phase_ms = 0;
}

void twf_lane_enqueue(struct twf_machine *machine, struct twf_job *job) {
    struct twf_lane *lane = &machine->lane;
    lane->waiting[lane->count++] = job;
}

static void take_from_line(struct twf_lane *lane, uint8_t index) {
    lane->count--;
    memmove(&lane->waiting[index], &lane->waiting[index + 1u], (size_t)(lane->count - index) * sizeof lane->waiting[0]);
}

void twf_lane_feed(struct twf_machine *machine) {
    const struct twf_lane *lane = &machine->lane;
    const bool full = twf_input(&machine->inputs, TWF_IN_GATE_FULL);
    const bool returned = twf_input(&machine->inputs, TWF_IN_RETURN_LANE) && !machine->homing.going;
    const bool reverse = lane->phase == TWF_LANE_LOOSENING;
    const bool may_run = !twf_machine_stopped(machine) && !reverse;
    const bool feed = may_run && machine->allowed && machine->feeding && !twf_cams_well_open(machine) &&
                      twf_events_have_room(&machine->events);
    twf_machine_output(machine, TWF_OUT_DRUM, feed);
    twf_machine_output(machine, TWF_OUT_BELT, feed || (may_run && !full && (returned || lane->entering_ms > 0)));
    twf_machine_output(machine, TWF_OUT_BELT_REVERSE, reverse);
}

/* The lane's own number of where a job's tile goes. */
static uint8_t lane_of(const struct twf_machine *machine, const struct twf_job *job) {
    switch (job->command.type) {
    case TWF_TYPE_BYPASS:
        return (uint8_t)(TWF_SEATS + twf_job_cell(job));
    case TWF_TYPE_RECIRCULATE:
        return twf_table_drum_lane(&machine->table);
    case TWF_TYPE_REJECT:
        return twf_table_reject_lane(&machine->table);
    default:
        return twf_job_seat(job);
    }
}

void twf_lane_begin(struct twf_machine *machine) {
    struct twf_lane *lane = &machine->lane;
    if (lane->active != NULL || lane->count == 0)
        return;
    struct twf_job *job = lane->waiting[0];
    if (twf_job_fills(job) && twf_shuttle_in_chute(machine, twf_job_seat(job)) >= machine->table.shuttle_queue)
        return;
    take_from_line(lane, 0);
    job->started = true;
    lane->active = job;
    const uint8_t to = lane_of(machine, job);
    start(lane, TWF_LANE_TURNING);
    if (to == lane->stands_at)
        lane->phase_ms = UINT16_MAX; /* it need not turn */
    else
        hal_servo(twf_table_pulse_us(&machine->table, to));
    lane->stands_at = to;
}

/* Let go what the active job moves. A tile that has left already is not sent again. */
static void push(struct twf_machine *machine, bool on) {
    const struct twf_job *job = machine->lane.active;
    if (job->command.type == TWF_TYPE_RELEASE)
        twf_machine_output(machine, (uint8_t)(TWF_OUT_CELL + twf_job_cell(job)), on);
    else
        twf_machine_output(machine, TWF_OUT_EJECT, on && machine->lane.gate_job == job);
}

/* As near to the tile as its edges tell. */
static uint8_t place_of_jam(const struct twf_job *job) {
    if ((job->sensors & (TWF_SENSOR_GATE_LEFT | TWF_SENSOR_CELL_OUT)) != 0)
        return TWF_WHERE_DIVERTER;
    return job->command.type == TWF_TYPE_RELEASE ? (uint8_t)(TWF_WHERE_CELL + twf_job_cell(job)) : (uint8_t)TWF_WHERE_GATE;
}

/* Every other attempt looks the same to the belt; the last one also jogs the diverter, which has to turn anew afterwards. */
static void loosen(struct twf_machine *machine) {
    struct twf_lane *lane = &machine->lane;
    if (lane->attempts == TWF_ATTEMPTS) {
        twf_machine_stuck(machine, TWF_FAULT_JAM, place_of_jam(lane->active), lane->active);
        return;
    }
    lane->attempts++;
    start(lane, TWF_LANE_LOOSENING);
    if (lane->attempts == TWF_ATTEMPTS)
        hal_servo((uint16_t)(twf_table_pulse_us(&machine->table, lane->stands_at) + JOG_US));
}

static void move_on(struct twf_machine *machine) {
    struct twf_lane *lane = &machine->lane;
    switch (lane->phase) {
    case TWF_LANE_TURNING:
        if (lane->phase_ms > twf_table_ms(&machine->table, TWF_TURN_MS)) {
            start(lane, TWF_LANE_MOVING);
            push(machine, true);
        }
        break;
    case TWF_LANE_LOOSENING:
        if (lane->phase_ms > twf_table_ms(&machine->table, TWF_LOOSEN_MS)) {
            start(lane, TWF_LANE_MOVING);
            if (lane->attempts == TWF_ATTEMPTS)
                hal_servo(twf_table_pulse_us(&machine->table, lane->stands_at));
        }
        break;
    default:
        if (twf_machine_late(machine, lane->phase_ms, TWF_RECIRCULATE_MS))
            loosen(machine);
        break;
    }
}

static void count_down(uint16_t *left_ms, uint8_t elapsed_ms) {
    *left_ms = (uint16_t)(*left_ms > elapsed_ms ? *left_ms - elapsed_ms : 0);
}

void twf_lane_scan(struct twf_machine *machine, uint8_t elapsed_ms) {
    struct twf_lane *lane = &machine->lane;
    uint32_t longest_us = 0;
    const uint8_t pulses = hal_beam(&longest_us);
    if (pulses > 0) {
        lane->pulses = (uint8_t)(lane->pulses + pulses);
        lane->entering_ms = ENTERING_MS;
        if (longest_us > lane->longest_us)
            lane->longest_us = longest_us;
    }
    if (!twf_machine_running(machine))
        return;
    count_down(&lane->entering_ms, elapsed_ms);
    if (lane->active == NULL)
        return;
    if (lane->phase_ms <= UINT16_MAX - elapsed_ms)
        lane->phase_ms = (uint16_t)(lane->phase_ms + elapsed_ms);
    move_on(machine);
}

static void settle(struct twf_lane *lane) {
    if (lane->phase == TWF_LANE_LOOSENING)
        lane->stands_at = UINT8_MAX; /* it may be jogged just now */
    lane->active = NULL;
    lane->attempts = 0;
    start(lane, TWF_LANE_IDLE);
}

static uint8_t back_of_tile(const struct twf_machine *machine) {
    return machine->inputs.level[TWF_IN_BACK / 8u] & 7u;
}

static void tell_tile(struct twf_machine *machine, uint32_t returned_by) {
    struct twf_lane *lane = &machine->lane;
    const uint32_t pulse_us = lane->longest_us < LONGEST_PULSE_US ? lane->longest_us : LONGEST_PULSE_US;
    const uint32_t tenths = pulse_us * machine->table.speed_percent / (100u * PULSE_US_PER_TENTH);
    const struct twf_event event = {
        .type = TWF_TYPE_TILE_AT_GATE,
        .first = lane->pulses,
        .second = back_of_tile(machine),
        .width = (uint16_t)(tenths < UINT16_MAX ? tenths : UINT16_MAX),
        .operation = returned_by,
    };
    lane->pulses = 0;
    lane->longest_us = 0;
    lane->entering_ms = 0;
    lane->from_return = false;
    machine->count[TWF_COUNT_ARRIVED]++;
    twf_events_add(&machine->events, &event);
}

void twf_lane_gate_edge(struct twf_machine *machine, bool full) {
    struct twf_lane *lane = &machine->lane;
    uint32_t returned_by = 0;
    if (!full) {
        if (lane->gate_job != NULL) {
            twf_job_saw(lane->gate_job, TWF_SENSOR_GATE_LEFT);
            lane->gate_job = NULL;
        }
        twf_machine_output(machine, TWF_OUT_EJECT, false);
        return;
    }
    struct twf_job *job = lane->returning;
    if (lane->from_return && job != NULL) {
        returned_by = job->operation;
        lane->returning = NULL;
        twf_shuttle_forget(machine, twf_job_seat(job), job);
        twf_job_saw(job, TWF_SENSOR_GATE_ENTERED);
        twf_machine_end(machine, job);
    }
    tell_tile(machine, returned_by);
}

void twf_lane_return_edge(struct twf_machine *machine, bool waiting) {
    if (!waiting && !machine->homing.going)
        machine->lane.from_return = true;
}

void twf_lane_cell_edge(struct twf_machine *machine, uint8_t cell, bool full) {
    struct twf_job *job = machine->lane.active;
    if (!full)
        twf_machine_output(machine, (uint8_t)(TWF_OUT_CELL + cell), false);
    if (job == NULL)
        return;
    if (full)
        twf_lane_passed(machine, TWF_SENSOR_CELL_IN, TWF_ALL_SEATS);
    else
        twf_job_saw(job, TWF_SENSOR_CELL_OUT);
}

void twf_lane_passed(struct twf_machine *machine, uint16_t sensor, uint8_t chute) {
    struct twf_job *job = machine->lane.active;
    if (job == NULL)
        return;
    settle(&machine->lane);
    twf_job_saw(job, sensor);
    if (sensor != TWF_SENSOR_DIVERTED)
        twf_machine_end(machine, job);
    else if (chute != twf_job_seat(job))
        job->sensors |= TWF_SENSOR_OUT_OF_ORDER;
}

void twf_lane_adopt(struct twf_machine *machine) {
    if (twf_input(&machine->inputs, TWF_IN_GATE_FULL))
        tell_tile(machine, 0);
}

void twf_lane_forget(struct twf_machine *machine, const struct twf_job *job) {
    struct twf_lane *lane = &machine->lane;
    for (uint8_t i = 0; i < lane->count; i++)
        if (lane->waiting[i] == job)
            take_from_line(lane, i--);
    if (lane->gate_job == job)
        lane->gate_job = NULL;
    if (lane->returning == job)
        lane->returning = NULL;
    if (lane->active == job) {
        push(machine, false);
        settle(lane);
    }
}
