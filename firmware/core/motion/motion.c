#include "motion.h"

#include "../board/bits.h"
#include "cams.h"
#include "exchangers.h"
#include "lane.h"
#include "shuttle.h"

static bool holds(const uint8_t *places, uint8_t position) {
    return twf_bit_of(places, position);
}

static const uint8_t *tray(const struct twf_machine *machine, uint8_t seat) {
    return twf_input_places(&machine->inputs, TWF_IN_TRAY, seat);
}

static bool shuttles_busy(const struct twf_machine *machine, uint8_t seat) {
    for (uint8_t shuttle = seat; shuttle < twf_table_shuttles(&machine->table); shuttle = (uint8_t)(shuttle + TWF_SEATS))
        if (machine->shuttle[shuttle].count > 0)
            return true;
    return false;
}

static bool any_shuttle_busy(const struct twf_machine *machine) {
    for (uint8_t seat = 0; seat < TWF_SEATS; seat++)
        if (shuttles_busy(machine, seat))
            return true;
    return false;
}

static bool cams_busy(const struct twf_machine *machine) {
    return machine->cams.floors != NULL || machine->cams.lift != NULL;
}

static uint8_t waiting_at(const struct twf_machine *machine, uint8_t number) {
    const struct twf_shuttle *shuttle = &machine->shuttle[number];
    uint8_t waiting = 0;
    for (uint8_t i = 0; i < shuttle->count; i++)
        if (twf_job_fills(shuttle->waiting[i]))
            waiting++;
    return waiting;
}

uint8_t twf_motion_waiting(const struct twf_machine *machine, uint8_t seat) {
    uint8_t waiting = 0;
    for (uint8_t shuttle = seat; shuttle < twf_table_shuttles(&machine->table); shuttle = (uint8_t)(shuttle + TWF_SEATS))
        waiting = (uint8_t)(waiting + waiting_at(machine, shuttle));
    return waiting;
}

/* Filled already, or by a job that is under way. */
static bool will_be_filled(const struct twf_machine *machine, uint8_t seat, uint8_t position) {
    const struct twf_shuttle *shuttle = &machine->shuttle[twf_table_shuttle(&machine->table, seat, position)];
    for (uint8_t i = 0; i < shuttle->count; i++)
        if (twf_job_fills(shuttle->waiting[i]) && twf_job_position(shuttle->waiting[i]) == position)
            return true;
    return holds(tray(machine, seat), position);
}

static uint8_t gate_refusal(const struct twf_machine *machine, uint8_t gate) {
    if (gate >= twf_table_gates(&machine->table))
        return TWF_NAK_NO_SUCH_PLACE;
    const struct twf_lane *lane = &machine->lane[gate];
    if (lane->gate_job != NULL)
        return TWF_NAK_BUSY;
    return twf_input(&machine->inputs, twf_in_at(TWF_IN_GATE_FULL, gate)) && lane->entering_ms == 0 ? 0 : TWF_NAK_NO_TILE;
}

static bool is_exchanged(const struct twf_machine *machine, uint8_t gate, uint8_t seat) {
    return twf_table_gate_of_seat(&machine->table, seat) != gate;
}

static uint8_t exchange_refusal(const struct twf_machine *machine, uint8_t gate, uint8_t seat) {
#if TWF_SEVERAL
    if (is_exchanged(machine, gate, seat))
        return twf_exchangers_pocket(machine, gate) >= machine->table.pocket_places ? TWF_NAK_BUSY : 0;
#endif
    (void)machine;
    (void)gate;
    (void)seat;
    return 0;
}

/* From several gates tiles come in any order: there a support on its way counts for nothing. */
static bool will_carry(const struct twf_machine *machine, uint8_t seat, uint8_t below) {
    return twf_table_gates(&machine->table) > 1u ? holds(tray(machine, seat), below) : will_be_filled(machine, seat, below);
}

static uint8_t place_refusal(const struct twf_machine *machine, uint8_t gate, uint8_t seat, uint8_t position) {
    if (seat >= TWF_SEATS || position >= machine->table.tray_places)
        return TWF_NAK_NO_SUCH_PLACE;
    if (cams_busy(machine))
        return TWF_NAK_BUSY;
    if (will_be_filled(machine, seat, position)
        || (machine->table.lanes && twf_input(&machine->inputs, (uint16_t)(TWF_IN_CELL_FULL + seat))))
        return TWF_NAK_OCCUPIED;
    const uint8_t below = twf_table_below(&machine->table, position);
    if (below != TWF_NO_PLACE && !will_carry(machine, seat, below))
        return TWF_NAK_UNSUPPORTED;
    if (waiting_at(machine, twf_table_shuttle(&machine->table, seat, position)) > machine->table.shuttle_queue)
        return TWF_NAK_BUSY;
    return exchange_refusal(machine, gate, seat);
}

static bool changes_cell(const struct twf_job *job, uint8_t cell) {
    const uint8_t type = job->command.type;
    return (type == TWF_TYPE_BYPASS || type == TWF_TYPE_RELEASE) && twf_job_cell(job) == cell;
}

/* A cell is judged as it will be when the lane, which works in order, comes to this operation. */
static uint8_t cell_refusal(const struct twf_machine *machine, uint8_t cell, bool wanted_full) {
    const uint8_t gate = twf_table_gate_of_cell(&machine->table, cell);
    const uint8_t cells = machine->table.bypass_cells;
    if (cell >= cells * twf_table_gates(&machine->table))
        return TWF_NAK_NO_SUCH_PLACE;
    const struct twf_lane *lane = &machine->lane[gate];
    bool full = twf_input(&machine->inputs, twf_in_at((uint16_t)(TWF_IN_CELL_FULL + cell - (unsigned)gate * cells), gate));
    if (lane->active != NULL && changes_cell(lane->active, cell))
        full = lane->active->command.type == TWF_TYPE_BYPASS;
    for (uint8_t i = 0; i < lane->count; i++)
        if (changes_cell(lane->waiting[i], cell))
            full = lane->waiting[i]->command.type == TWF_TYPE_BYPASS;
    if (full == wanted_full)
        return 0;
    return wanted_full ? TWF_NAK_EMPTY : TWF_NAK_OCCUPIED;
}

static uint8_t return_refusal(const struct twf_machine *machine, uint8_t seat, uint8_t position) {
    if (seat >= TWF_SEATS || position >= machine->table.tray_places)
        return TWF_NAK_NO_SUCH_PLACE;
    bool returning = false;
    for (uint8_t gate = 0; gate < twf_table_gates(&machine->table); gate++)
        returning = returning || machine->lane[gate].returning != NULL;
    if (returning || shuttles_busy(machine, seat) || cams_busy(machine))
        return TWF_NAK_BUSY;
    if (!holds(tray(machine, seat), position))
        return TWF_NAK_EMPTY;
    const uint8_t above = twf_table_above(&machine->table, position);
    return above != TWF_NO_PLACE && holds(tray(machine, seat), above) ? TWF_NAK_COVERED : 0;
}

static uint8_t dump_refusal(const struct twf_machine *machine, uint8_t container, uint8_t seat) {
    if (seat >= TWF_SEATS && seat != TWF_ALL_SEATS)
        return TWF_NAK_NO_SUCH_PLACE;
    if (cams_busy(machine))
        return TWF_NAK_BUSY;
    if (container != TWF_CONTAINER_TRAY)
        return 0;
    const bool busy = seat == TWF_ALL_SEATS ? any_shuttle_busy(machine) : shuttles_busy(machine, seat);
    return busy ? TWF_NAK_BUSY : 0;
}

static uint8_t raise_refusal(const struct twf_machine *machine) {
    if (cams_busy(machine) || any_shuttle_busy(machine))
        return TWF_NAK_BUSY;
    return twf_cams_may_lift(machine) ? 0 : TWF_NAK_OCCUPIED;
}

uint8_t twf_motion_refusal(const struct twf_machine *machine, const struct twf_command *command) {
    const uint8_t *argument = command->argument;
    const uint8_t gate = twf_machine_gate_of(machine, command);
    uint8_t first = 0;
    if (machine->homing.going)
        return TWF_NAK_BUSY;
    switch (command->type) {
    case TWF_TYPE_PLACE:
        first = gate_refusal(machine, gate);
        return first != 0 ? first : place_refusal(machine, gate, argument[0], argument[1]);
    case TWF_TYPE_BYPASS:
        first = argument[0] < machine->table.bypass_cells * twf_table_gates(&machine->table) ? gate_refusal(machine, gate) : 0;
        return first != 0 ? first : cell_refusal(machine, argument[0], false);
    case TWF_TYPE_RECIRCULATE:
    case TWF_TYPE_REJECT:
        return gate_refusal(machine, gate);
    case TWF_TYPE_RELEASE:
        first = cell_refusal(machine, argument[0], true);
        return first != 0 ? first : place_refusal(machine, gate, argument[1], argument[2]);
    case TWF_TYPE_RETURN:
        return return_refusal(machine, argument[0], argument[1]);
    case TWF_TYPE_DUMP:
    case TWF_TYPE_RAISE:
        if (machine->table.lanes)
            return TWF_NAK_NO_SUCH_PLACE;
        return command->type == TWF_TYPE_DUMP ? dump_refusal(machine, argument[0], argument[1]) : raise_refusal(machine);
    case TWF_TYPE_OPEN_WELL:
    case TWF_TYPE_CLOSE_WELL:
        return machine->cams.door != NULL ? TWF_NAK_BUSY : 0;
    default:
        return TWF_NAK_UNKNOWN_COMMAND;
    }
}

void twf_motion_enqueue(struct twf_machine *machine, struct twf_job *job) {
    struct twf_lane *lane = &machine->lane[twf_machine_gate_of(machine, &job->command)];
    job->exchanged = twf_job_fills(job) && is_exchanged(machine, twf_machine_gate_of(machine, &job->command), twf_job_seat(job));
    switch (job->command.type) {
    case TWF_TYPE_PLACE:
        lane->gate_job = job;
        twf_lane_enqueue(machine, job);
        twf_shuttle_enqueue(machine, job);
        break;
    case TWF_TYPE_BYPASS:
    case TWF_TYPE_RECIRCULATE:
    case TWF_TYPE_REJECT:
        lane->gate_job = job;
        twf_lane_enqueue(machine, job);
        break;
    case TWF_TYPE_RELEASE:
        twf_lane_enqueue(machine, job);
        twf_shuttle_enqueue(machine, job);
        break;
    case TWF_TYPE_RETURN:
        lane->returning = job;
        twf_shuttle_enqueue(machine, job);
        break;
    default:
        twf_cams_enqueue(machine, job);
        break;
    }
}

void twf_motion_begin(struct twf_machine *machine) {
    twf_lane_feed(machine);
    if (!machine->allowed || machine->homing.going || twf_machine_stopped(machine))
        return;
    twf_lane_begin(machine);
    twf_exchangers_begin(machine);
    for (uint8_t shuttle = 0; shuttle < twf_table_shuttles(&machine->table); shuttle++)
        twf_shuttle_begin(machine, shuttle);
    twf_cams_begin(machine);
}
