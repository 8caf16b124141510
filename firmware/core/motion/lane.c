#include "lane.h"

#include <string.h>

#include "../board/bits.h"
#include "../board/hal.h"
#include "cams.h"
#include "drum.h"
#include "exchangers.h"
#include "shuttle.h"
#include "way_back.h"

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
    struct twf_lane *lane = &machine->lane[twf_machine_gate_of(machine, &job->command)];
    lane->waiting[lane->count++] = job;
}

static void take_from_line(struct twf_lane *lane, uint8_t index) {
    lane->count--;
    memmove(&lane->waiting[index], &lane->waiting[index + 1u], (size_t)(lane->count - index) * sizeof lane->waiting[0]);
}

/* Whether a shuttle has handed a tile over that has not come to rest yet, or one waits before the gate. */
static bool has_returned(const struct twf_machine *machine, uint8_t gate) {
    const struct twf_job *job = machine->lane[gate].returning;
    return machine->lane[gate].waits || (job != NULL && job->carrying);
}

/* Whether a tile is on its way into a gate's empty window, or back to the gate, at which it waits on the way home. */
static bool wants_belt(const struct twf_machine *machine, uint8_t gate) {
    const struct twf_lane *lane = &machine->lane[gate];
    const bool full = twf_input(&machine->inputs, twf_in_at(TWF_IN_GATE_FULL, gate));
    const bool returned = has_returned(machine, gate) && !machine->homing.going;
    return (lane->on_way && !twf_way_back_waits(machine, gate)) || (!full && (returned || lane->entering_ms > 0));
}

/* There is one drum and one drive of all belts; where there is one gate they stand while its belt runs backwards. The drum stands, too,
 * until a tile that has been handed over rests in the window, so that no other comes between them. */
void twf_lane_feed(struct twf_machine *machine) {
    const uint8_t gates = twf_table_gates(&machine->table);
    bool belt = false;
    bool reversed = false;
    bool returned = false;
    bool rests = true; /* every window has been full for so long that the rows are too */
    for (uint8_t gate = 0; gate < gates; gate++) {
        const bool reverse = machine->lane[gate].phase == TWF_LANE_LOOSENING;
        reversed = reversed || reverse;
        belt = belt || wants_belt(machine, gate);
        returned = returned || has_returned(machine, gate);
        rests = rests && twf_input(&machine->inputs, twf_in_at(TWF_IN_GATE_FULL, gate)) &&
                twf_machine_late(machine, machine->lane[gate].waited_ms, TWF_RESTS_MS);
        twf_machine_output(machine, twf_out_at(TWF_OUT_BELT_REVERSE, gate), reverse);
    }
    const bool may_run = !twf_machine_stopped(machine) && !(reversed && gates == 1u);
    const bool feed = may_run && !rests && !returned && machine->allowed && machine->feeding && !twf_cams_well_open(machine) &&
                      twf_events_have_room(&machine->events);
    twf_machine_output(machine, TWF_OUT_DRUM, feed);
    twf_machine_output(machine, TWF_OUT_BELT, feed || (may_run && belt));
}

/* A cell's number among those of its gate. */
static uint8_t own_cell(const struct twf_machine *machine, const struct twf_job *job) {
    const uint8_t cell = twf_job_cell(job);
    return (uint8_t)(cell - twf_table_gate_of_cell(&machine->table, cell) * machine->table.bypass_cells);
}

/* The lane's own number of where a job's tile goes. */
static uint8_t lane_of(const struct twf_machine *machine, const struct twf_job *job) {
    switch (job->command.type) {
    case TWF_TYPE_BYPASS:
        return (uint8_t)(twf_table_shuttles(&machine->table) + own_cell(machine, job));
    case TWF_TYPE_RECIRCULATE:
        return twf_table_drum_lane(&machine->table);
    case TWF_TYPE_REJECT:
        return twf_table_reject_lane(&machine->table);
    default:
        return job->exchanged ? twf_table_pocket_lane(&machine->table) : twf_shuttle_of(machine, job);
    }
}

static void begin(struct twf_machine *machine, uint8_t gate) {
    struct twf_lane *lane = &machine->lane[gate];
    if (lane->active != NULL || lane->count == 0)
        return;
    struct twf_job *job = lane->waiting[0];
    if (twf_job_fills(job) && !job->exchanged && !twf_shuttle_has_room(machine, job))
        return;
    take_from_line(lane, 0);
    job->started = true;
    lane->active = job;
    const uint8_t to = lane_of(machine, job);
    start(lane, TWF_LANE_TURNING);
    if (to == lane->stands_at)
        lane->phase_ms = UINT16_MAX; /* it need not turn */
    else
        hal_servo(gate, twf_table_pulse_us(&machine->table, to));
    lane->stands_at = to;
}

void twf_lane_begin(struct twf_machine *machine) {
    for (uint8_t gate = 0; gate < twf_table_gates(&machine->table); gate++)
        begin(machine, gate);
}

/* Let go what the active job moves. A tile that has left already is not sent again. */
static void push(struct twf_machine *machine, uint8_t gate, bool on) {
    const struct twf_job *job = machine->lane[gate].active;
    if (job->command.type == TWF_TYPE_RELEASE)
        twf_machine_output(machine, twf_out_at((uint8_t)(TWF_OUT_CELL + own_cell(machine, job)), gate), on);
    else
        twf_machine_output(machine, twf_out_at(TWF_OUT_EJECT, gate), on && machine->lane[gate].gate_job == job);
}

static uint8_t place_of_gate(uint8_t gate) {
    return (uint8_t)(gate > 0 ? TWF_WHERE_OTHER_GATE + gate : TWF_WHERE_GATE);
}

static uint8_t place_of_diverter(uint8_t gate) {
    return (uint8_t)(gate > 0 ? TWF_WHERE_OTHER_DIVERTER + gate : TWF_WHERE_DIVERTER);
}

/* As near to the tile as its edges tell. */
static uint8_t place_of_jam(const struct twf_job *job, uint8_t gate) {
    if ((job->sensors & (TWF_SENSOR_GATE_LEFT | TWF_SENSOR_CELL_OUT)) != 0)
        return place_of_diverter(gate);
    if (job->command.type == TWF_TYPE_RELEASE)
        return (uint8_t)(TWF_WHERE_CELL + twf_job_cell(job));
    return place_of_gate(gate);
}

/* Every other attempt looks the same to the belt; the last one also jogs the diverter, which has to turn anew afterwards. */
static void loosen(struct twf_machine *machine, uint8_t gate) {
    struct twf_lane *lane = &machine->lane[gate];
    if (lane->attempts == TWF_ATTEMPTS) {
        twf_machine_stuck(machine, TWF_FAULT_JAM, place_of_jam(lane->active, gate), lane->active);
        return;
    }
    lane->attempts++;
    start(lane, TWF_LANE_LOOSENING);
    if (lane->attempts == TWF_ATTEMPTS)
        hal_servo(gate, (uint16_t)(twf_table_pulse_us(&machine->table, lane->stands_at) + JOG_US));
}

/* What comes free while a part is loosened is on its way already. */
static uint16_t way_ms(const struct twf_lane *lane) {
    if (lane->active->command.type == TWF_TYPE_RECIRCULATE)
        return TWF_RECIRCULATE_MS;
    return lane->attempts > 0 ? TWF_FREED_MS : TWF_CELL_MS;
}

static void move_on(struct twf_machine *machine, uint8_t gate) {
    struct twf_lane *lane = &machine->lane[gate];
    switch (lane->phase) {
    case TWF_LANE_TURNING:
        if (lane->phase_ms > twf_table_ms(&machine->table, TWF_TURN_MS)) {
            start(lane, TWF_LANE_MOVING);
            push(machine, gate, true);
        }
        break;
    case TWF_LANE_LOOSENING:
        if (lane->phase_ms > twf_table_ms(&machine->table, TWF_LOOSEN_MS)) {
            start(lane, TWF_LANE_MOVING);
            if (lane->attempts == TWF_ATTEMPTS)
                hal_servo(gate, twf_table_pulse_us(&machine->table, lane->stands_at));
        }
        break;
    default:
        if (twf_machine_late(machine, lane->phase_ms, way_ms(lane)))
            loosen(machine, gate);
        break;
    }
}

static void count_down(uint16_t *left_ms, uint8_t elapsed_ms) {
    *left_ms = (uint16_t)(*left_ms > elapsed_ms ? *left_ms - elapsed_ms : 0);
}

/* What lies before the gate for a moment only is a sleeve, or a reflection. On the way home nothing but time ends the search. */
static void watch_barrier(struct twf_machine *machine, uint8_t gate, uint8_t elapsed_ms) {
    struct twf_lane *lane = &machine->lane[gate];
    if (lane->waits || !twf_way_back_waits(machine, gate))
        return;
    lane->waits_ms = (uint16_t)(lane->waits_ms + elapsed_ms);
    lane->waits = lane->waits_ms > twf_table_ms(&machine->table, TWF_LASTS_MS);
    if (!lane->waits || machine->homing.going)
        return;
    lane->on_way = false;
    lane->handed_ms = 0;
    if (lane->returning == NULL)
        twf_machine_disagree(machine, place_of_gate(gate)); /* nothing has been handed over */
}

/* Count how long the belts have run for a returned tile, which is named by the mouth that it came from until it waits before the gate. On
 * the way home they stand as soon as it does, and what they may have brought by then goes back to the drum. */
static void watch_way_back(struct twf_machine *machine, uint8_t gate, uint8_t elapsed_ms) {
    struct twf_lane *lane = &machine->lane[gate];
    struct twf_job *job = lane->returning;
    const bool rests = twf_input(&machine->inputs, twf_in_at(TWF_IN_GATE_FULL, gate)) && !lane->on_way;
    const bool counts = twf_machine_shows(machine, TWF_OUT_BELT) || (lane->waits && machine->homing.going);
    if (rests || !counts || !(lane->on_way || has_returned(machine, gate)))
        return;
    lane->handed_ms = (uint16_t)(lane->handed_ms + elapsed_ms);
    if (machine->homing.going) {
        if (lane->handed_ms > twf_table_ms(&machine->table, TWF_EMPTIED_MS))
            lane->on_way = false;
        return;
    }
    if (!twf_machine_late(machine, lane->handed_ms, TWF_RETURN_MS))
        return;
    lane->handed_ms = 0;
    const uint8_t lane_of_job = lane->on_way ? (uint8_t)(TWF_WHERE_RETURN_LANE + twf_shuttle_of(machine, job)) : place_of_gate(gate);
    twf_machine_stuck(machine, TWF_FAULT_JAM, lane_of_job, job);
}

/* Count how long a window has been full, or the drum has turned for an empty one, with a tile that could come. While one rests in
 * another window nothing is counted: the row of that gate may hold the last ones. */
static void watch_feed(struct twf_machine *machine, uint8_t gate, uint8_t elapsed_ms) {
    struct twf_lane *lane = &machine->lane[gate];
    const bool full = twf_input(&machine->inputs, twf_in_at(TWF_IN_GATE_FULL, gate));
    const bool returned = has_returned(machine, gate);
    const bool empty = twf_input(&machine->inputs, TWF_IN_DRUM_EMPTY) && !returned;
    machine->drum_empty = machine->drum_empty && empty;
    if (empty)
        lane->quick = 0;
    if (!full && empty)
        lane->waited_ms = 0;
    else if (full || (twf_machine_shows(machine, TWF_OUT_DRUM) && (twf_machine_flags(machine) & TWF_FLAG_GATE_OCCUPIED) == 0))
        lane->waited_ms += elapsed_ms;
    const uint32_t waited_ms = lane->waited_ms / twf_table_gates(&machine->table);
    if (full || !twf_machine_late(machine, waited_ms, TWF_SOON_MS) || !twf_machine_late(machine, waited_ms, twf_drum_next_ms(machine, lane)))
        return;
    lane->waited_ms = 0;
    lane->quick = 0;
    const bool before_gate = gate > 0 || lane->pulses > 0;
    twf_machine_stuck(machine, TWF_FAULT_NO_TILE, before_gate ? place_of_gate(gate) : (uint8_t)TWF_WHERE_DRUM, NULL);
}

static void scan(struct twf_machine *machine, uint8_t gate, uint8_t elapsed_ms) {
    struct twf_lane *lane = &machine->lane[gate];
    uint32_t longest_us = 0;
    const uint8_t pulses = hal_beam(gate, &longest_us);
    if (pulses > 0) {
        lane->pulses = (uint8_t)(lane->pulses + pulses);
        lane->entering_ms = ENTERING_MS;
        if (longest_us > lane->longest_us)
            lane->longest_us = longest_us;
    }
    if (!twf_machine_running(machine))
        return;
    count_down(&lane->entering_ms, elapsed_ms);
    watch_feed(machine, gate, elapsed_ms);
    watch_barrier(machine, gate, elapsed_ms);
    watch_way_back(machine, gate, elapsed_ms);
    if (lane->active == NULL)
        return;
    if (lane->phase_ms <= UINT16_MAX - elapsed_ms)
        lane->phase_ms = (uint16_t)(lane->phase_ms + elapsed_ms);
    move_on(machine, gate);
}

void twf_lane_scan(struct twf_machine *machine, uint8_t elapsed_ms) {
    twf_drum_scan(machine, elapsed_ms);
    for (uint8_t gate = 0; gate < twf_table_gates(&machine->table); gate++)
        scan(machine, gate, elapsed_ms);
}

static void settle(struct twf_lane *lane) {
    if (lane->phase == TWF_LANE_LOOSENING)
        lane->stands_at = UINT8_MAX; /* it may be jogged just now */
    lane->active = NULL;
    lane->attempts = 0;
    start(lane, TWF_LANE_IDLE);
}

static uint8_t back_of_tile(const struct twf_machine *machine, uint8_t gate) {
    const uint16_t first = twf_in_at(TWF_IN_BACK, gate);
    return (uint8_t)((unsigned)machine->inputs.level[first / 8u] >> (first % 8u) & 7u);
}

/* Where there are several gates, the two highest bits say at which. */
static uint8_t told_edges(uint8_t edges, uint8_t gate) {
#if TWF_SEVERAL
    return (uint8_t)((edges < 63u ? edges : 63u) | (unsigned)gate << 6u);
#else
    (void)gate;
    return edges;
#endif
}

static void tell_tile(struct twf_machine *machine, uint8_t gate, uint32_t returned_by) {
    struct twf_lane *lane = &machine->lane[gate];
    const uint32_t pulse_us = lane->longest_us < LONGEST_PULSE_US ? lane->longest_us : LONGEST_PULSE_US;
    const uint32_t tenths = pulse_us * machine->table.speed_percent / (100u * PULSE_US_PER_TENTH);
    const struct twf_event event = {
        .type = TWF_TYPE_TILE_AT_GATE,
        .first = told_edges(lane->pulses, gate),
        .second = back_of_tile(machine, gate),
        .width = (uint16_t)(tenths < UINT16_MAX ? tenths : UINT16_MAX),
        .operation = returned_by,
    };
    lane->pulses = 0;
    lane->longest_us = 0;
    lane->entering_ms = 0;
    machine->count[TWF_COUNT_ARRIVED]++;
    twf_events_add(&machine->events, &event);
}

void twf_lane_gate_edge(struct twf_machine *machine, uint8_t gate, bool full) {
    struct twf_lane *lane = &machine->lane[gate];
    const uint32_t waited_ms = lane->waited_ms;
    uint32_t returned_by = 0;
    lane->waited_ms = 0;
    if (full ? lane->pulses == 0 : !twf_machine_shows(machine, twf_out_at(TWF_OUT_EJECT, gate)))
        twf_machine_disagree(machine, place_of_gate(gate)); /* a tile that has not come, or that nothing has pushed out */
    if (!full) {
        if (lane->gate_job != NULL) {
            twf_job_saw(lane->gate_job, TWF_SENSOR_GATE_LEFT);
            lane->gate_job = NULL;
        }
        twf_machine_output(machine, twf_out_at(TWF_OUT_EJECT, gate), false);
        return;
    }
    struct twf_job *job = lane->returning;
    const bool returned = job != NULL && job->carrying;
    if (returned && job->entering) {
        returned_by = job->operation;
        lane->returning = NULL;
        lane->on_way = false;
        twf_job_saw(job, TWF_SENSOR_GATE_ENTERED);
        twf_machine_end(machine, job);
    } else if (returned && (!lane->on_way || twf_machine_late(machine, lane->handed_ms, TWF_BEFORE_MS))) {
        twf_machine_disagree(machine, place_of_gate(gate)); /* the barrier has not seen what was handed over come, or go */
    } else if (twf_table_gates(&machine->table) == 1u) {
        if (machine->drum_empty)
            twf_machine_disagree(machine, TWF_WHERE_DRUM); /* a second tile has come out of the empty drum */
        machine->drum_empty = twf_input(&machine->inputs, TWF_IN_DRUM_EMPTY);
        twf_drum_brought(machine, lane, waited_ms);
    }
    tell_tile(machine, gate, returned_by);
}

void twf_lane_return_edge(struct twf_machine *machine, uint8_t gate) {
    struct twf_lane *lane = &machine->lane[gate];
    if (lane->waits && lane->returning != NULL)
        lane->returning->entering = true;
    lane->waits = false;
    lane->waits_ms = 0;
}

void twf_lane_cell_edge(struct twf_machine *machine, uint8_t gate, uint8_t own_number, bool full) {
    struct twf_job *job = machine->lane[gate].active;
    if (machine->table.lanes) {
        if (full && twf_shuttle_comes_to_end(machine, own_number))
            settle(&machine->lane[gate]);
        return;
    }
    if (!full)
        twf_machine_output(machine, twf_out_at((uint8_t)(TWF_OUT_CELL + own_number), gate), false);
    if (job == NULL || job->command.type != (full ? TWF_TYPE_BYPASS : TWF_TYPE_RELEASE) || own_cell(machine, job) != own_number) {
        twf_machine_disagree(machine, (uint8_t)(TWF_WHERE_CELL + gate * machine->table.bypass_cells + own_number));
        return;
    }
    if (full)
        twf_lane_passed(machine, gate, TWF_SENSOR_CELL_IN, TWF_ALL_SEATS);
    else
        twf_job_saw(job, TWF_SENSOR_CELL_OUT);
}

void twf_lane_passed(struct twf_machine *machine, uint8_t gate, uint16_t sensor, uint8_t chute) {
    const struct twf_lane *lane = &machine->lane[gate];
    struct twf_job *job = lane->active;
    if (job == NULL || (job->command.type != TWF_TYPE_RELEASE && lane->gate_job == job)) {
        const bool left = job != NULL && lane->phase != TWF_LANE_TURNING && lane->phase_ms > twf_table_ms(&machine->table, TWF_CLEAR_MS);
        if (job != NULL || sensor == TWF_SENSOR_DIVERTED) /* of two tiles in the window the second follows its operation */
            twf_machine_disagree(machine, left ? place_of_gate(gate) : place_of_diverter(gate));
        return;
    }
    settle(&machine->lane[gate]);
    if (sensor == TWF_SENSOR_DIVERTED && machine->table.lanes) {
        machine->lane[gate].active = job; /* to its end */
        start(&machine->lane[gate], TWF_LANE_MOVING);
    }
    if (sensor == TWF_SENSOR_DIVERTED && twf_job_fills(job))
        twf_shuttle_comes(machine, job);
    twf_job_saw(job, sensor);
    if (sensor == TWF_SENSOR_DIVERTED && (!twf_job_fills(job) || chute != twf_shuttle_of(machine, job)))
        job->sensors |= TWF_SENSOR_OUT_OF_ORDER;
    if ((job->sensors & TWF_SENSOR_OUT_OF_ORDER) != 0)
        twf_machine_disagree(machine, place_of_diverter(gate));
    if (sensor != TWF_SENSOR_DIVERTED)
        twf_machine_end(machine, job);
}

void twf_lane_pocketed(struct twf_machine *machine, uint8_t gate) {
    struct twf_job *job = machine->lane[gate].active;
    if (job == NULL)
        return;
    settle(&machine->lane[gate]);
    if (job->exchanged)
        twf_exchangers_pocketed(machine, job);
    else
        job->sensors |= TWF_SENSOR_OUT_OF_ORDER;
}

void twf_lane_adopt(struct twf_machine *machine) {
    for (uint8_t gate = 0; gate < twf_table_gates(&machine->table); gate++) {
        machine->lane[gate].on_way = machine->homing.going;
        if (twf_input(&machine->inputs, twf_in_at(TWF_IN_GATE_FULL, gate)))
            tell_tile(machine, gate, 0);
    }
}

static void forget(struct twf_machine *machine, uint8_t gate, const struct twf_job *job) {
    struct twf_lane *lane = &machine->lane[gate];
    for (uint8_t i = 0; i < lane->count; i++)
        if (lane->waiting[i] == job)
            take_from_line(lane, i--);
    if (lane->gate_job == job)
        lane->gate_job = NULL;
    if (lane->returning == job)
        lane->returning = NULL;
    if (lane->active == job) {
        push(machine, gate, false);
        settle(lane);
    }
}

void twf_lane_forget(struct twf_machine *machine, const struct twf_job *job) {
    for (uint8_t gate = 0; gate < twf_table_gates(&machine->table); gate++)
        forget(machine, gate, job);
}
