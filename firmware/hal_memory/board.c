#include "board.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../core/board/bits.h"
#include "../core/board/hal.h"
#include "../core/feeder.h"
#include "end_stop.h"

enum {
    LINE_BYTES = 16384, /* what nobody takes beyond this is lost, as on a line */
    MOST_PLANNED = 4096,
    STALL_US = 50000 /* a driver tells for so long that its motor does not follow, above half of the cruising speed */
};

struct planned_input {
    uint64_t at_us;
    uint16_t number;
    uint8_t level;
};

/* What a look ahead changes and puts back. */
struct present {
    struct twf_feeder feeder;
    uint64_t now_us;
    uint64_t tick_us;
    uint8_t inputs[TWF_INPUT_BYTES];
    uint8_t outputs[TWF_OUTPUT_BYTES];
    uint16_t servo_us[TWF_READING_GATES];
    bool changed;
    uint8_t moved; /* a bit per carriage */
    struct end_stop stops[TWF_SHUTTLES]; /* and where the carriages stand */
    uint8_t driven_by[TWF_SHUTTLES];
    uint8_t drive[TWF_SHUTTLES]; /* enum memory_board_drive */
    uint8_t stuck[TWF_INPUT_BYTES]; /* a bit for each input that reads as `stuck_at`, whatever its wire says */
    uint8_t stuck_at[TWF_INPUT_BYTES];
    uint64_t stalled_until_us;
    bool bouncing; /* one of their switches may change by itself */
    int32_t most_steps;
    uint64_t beam_rose_us[TWF_READING_GATES];
    uint32_t beam_longest_us[TWF_READING_GATES];
    uint8_t beam_pulses[TWF_READING_GATES];
    size_t line_count;
    size_t next_planned;
};

struct memory_board {
    struct present is;
    struct present kept;
    uint8_t line[LINE_BYTES];
    struct planned_input planned[MOST_PLANNED]; /* in the order of their times, from is.next_planned on */
    size_t planned_count;
    uint8_t *memory; /* what it keeps without power */
};

static __thread struct memory_board *running; /* boards of one process run beside each other */

uint32_t hal_time_us(void) {
    return (uint32_t)running->is.now_us;
}

bool hal_uart_write(const uint8_t *bytes, uint8_t count) {
    struct present *is = &running->is;
    if (is->line_count + count > LINE_BYTES)
        return false;
    memcpy(running->line + is->line_count, bytes, count);
    is->line_count += count;
    return true;
}

bool hal_uart_rests(void) {
    return true;
}

void hal_board_exchange(const uint8_t outputs[TWF_OUTPUT_BYTES], uint8_t *inputs, bool whole) {
    struct present *is = &running->is;
    (void)whole;
    if (memcmp(is->outputs, outputs, TWF_OUTPUT_BYTES) != 0) {
        memcpy(is->outputs, outputs, TWF_OUTPUT_BYTES);
        is->changed = true;
    }
    for (uint8_t i = 0; i < TWF_INPUT_BYTES; i++)
        inputs[i] = (uint8_t)((is->inputs[i] & (uint8_t)~is->stuck[i]) | (is->stuck_at[i] & is->stuck[i]));
    if (is->now_us < is->stalled_until_us)
        inputs[TWF_IN_DRIVER_FAULT / 8u] |= twf_mask(TWF_IN_DRIVER_FAULT % 8u);
}

void hal_servo(uint8_t gate, uint16_t pulse_us) {
    running->is.servo_us[gate] = pulse_us;
    running->is.changed = true;
}

uint8_t hal_beam(uint8_t gate, uint32_t *longest_us) {
    struct present *is = &running->is;
    const uint8_t pulses = is->beam_pulses[gate];
    *longest_us = is->beam_longest_us[gate];
    is->beam_pulses[gate] = 0;
    is->beam_longest_us[gate] = 0;
    return pulses;
}

void hal_steps_lock(void) {
}

void hal_steps_unlock(void) {
}

static void set_input(struct present *is, uint16_t number, bool level) {
    uint8_t *byte = &is->inputs[number / 8u];
    const uint8_t mask = twf_mask((uint8_t)(number % 8u));
    *byte = (uint8_t)(level ? *byte | mask : *byte & (uint8_t)~mask);
}

/* Of an end switch and a place flag the wires only say whether its plug is in. */
static bool take_plug(struct present *is, uint16_t number, bool in) {
    uint8_t shuttle = 0;
    while (shuttle < TWF_SHUTTLES && number != twf_in_home(shuttle) && number != twf_in_at_place(shuttle))
        shuttle++;
    if (shuttle < TWF_SHUTTLES && number == twf_in_home(shuttle))
        is->stops[shuttle].unplugged = !in;
    else if (shuttle < TWF_SHUTTLES)
        is->stops[shuttle].flagless = !in;
    is->bouncing = is->bouncing || shuttle < TWF_SHUTTLES;
    return shuttle < TWF_SHUTTLES;
}

static void take_input(struct present *is, uint16_t number, bool level, uint64_t at_us) {
    uint8_t gate = 0;
    if (take_plug(is, number, level))
        return;
    set_input(is, number, level);
    while (gate < TWF_READING_GATES && number != twf_in_at(TWF_IN_GATE_BEAM, gate))
        gate++;
    if (gate == TWF_READING_GATES || twf_bit_of(is->stuck, number))
        return;
    if (level) {
        is->beam_rose_us[gate] = at_us;
        return;
    }
    const uint32_t length_us = (uint32_t)(at_us - is->beam_rose_us[gate]);
    is->beam_pulses[gate]++;
    if (length_us > is->beam_longest_us[gate])
        is->beam_longest_us[gate] = length_us;
}

static void look_at_end_stops(struct present *is) {
    is->bouncing = false;
    for (uint8_t shuttle = 0; shuttle < TWF_SHUTTLES; shuttle++) {
        set_input(is, twf_in_home(shuttle), end_stop_reads(&is->stops[shuttle], is->now_us));
        set_input(is, twf_in_at_place(shuttle), end_stop_at_place(&is->stops[shuttle], is->feeder.machine.table.steps_per_position));
        is->bouncing = is->bouncing || is->now_us < is->stops[shuttle].settled_us;
    }
}

static bool powered(const struct present *is) {
    return twf_bit_of(is->outputs, TWF_OUT_MOTOR_POWER) && !twf_bit_of(is->inputs, TWF_IN_LID_OPEN) && !twf_bit_of(is->inputs, TWF_IN_ESTOP);
}

/* One tick of the steppers; a buffer stops a carriage, and without power nothing moves. */
static void tick(struct present *is) {
    const struct twf_pulses pulses = twf_axes_tick(&is->feeder.machine.axes);
    const bool steps = pulses.step != 0 && powered(is);
    for (uint8_t shuttle = 0; steps && shuttle < TWF_SHUTTLES; shuttle++) {
        const uint8_t by = is->driven_by[shuttle];
        const bool outward = twf_bit(pulses.outward, by) != (is->drive[shuttle] == MEMORY_BOARD_REVERSED);
        const bool turns = is->drive[shuttle] != MEMORY_BOARD_BLOCKED && is->drive[shuttle] != MEMORY_BOARD_UNPLUGGED;
        const struct twf_axes *axes = &is->feeder.machine.axes;
        if (twf_bit(pulses.step, by) && is->drive[shuttle] == MEMORY_BOARD_BLOCKED && axes->axis[by].rate > axes->fastest[0] / 2u)
            is->stalled_until_us = is->now_us + STALL_US;
        if (twf_bit(pulses.step, by) && turns &&
            end_stop_step(&is->stops[shuttle], outward, is->most_steps, is->feeder.machine.table.steps_per_position, is->now_us))
            is->moved |= twf_mask(shuttle);
    }
    if (steps || is->bouncing)
        look_at_end_stops(is);
}

void memory_board_sizes(uint16_t sizes[5]) {
    sizes[0] = TWF_INPUT_BYTES;
    sizes[1] = TWF_OUTPUT_BYTES;
    sizes[2] = TWF_READING_GATES;
    sizes[3] = TWF_SHUTTLES;
    sizes[4] = sizeof(struct twf_kept);
}

struct memory_board *memory_board_new(void) {
    return calloc(1, sizeof(struct memory_board));
}

void memory_board_free(struct memory_board *board) {
    free(board);
}

void memory_board_boot(struct memory_board *board, const uint8_t *record, uint32_t boot_id, uint8_t reset_reason, uint64_t now_us,
                       const int32_t *steps, int32_t most_steps, uint8_t *kept) {
    struct twf_identity identity = {boot_id, reset_reason, {'m', 'e', 'm', 'o', 'r', 'y', '0', '1'}, false, {{0}, 0}};
    memcpy(&identity.kept, kept, sizeof identity.kept);
    struct present *is = &board->is;
    memset(board, 0, sizeof *board);
    board->memory = kept;
    running = board;
    is->now_us = is->tick_us = now_us;
    is->most_steps = most_steps;
    for (uint8_t shuttle = 0; shuttle < TWF_SHUTTLES; shuttle++)
        is->stops[shuttle] = end_stop_at(steps[shuttle], boot_id + shuttle);
    for (uint8_t shuttle = 0; shuttle < TWF_SHUTTLES; shuttle++)
        is->driven_by[shuttle] = shuttle;
    twf_feeder_init(&is->feeder, record, &identity);
    look_at_end_stops(is);
}

size_t memory_board_receive(struct memory_board *board, const uint8_t *bytes, size_t count) {
    running = board;
    for (size_t i = 0; i < count; i++)
        twf_feeder_receive(&board->is.feeder, bytes[i]);
    return board->is.line_count;
}

size_t memory_board_take(struct memory_board *board, uint8_t *bytes, size_t most) {
    const size_t count = board->is.line_count < most ? board->is.line_count : most;
    memcpy(bytes, board->line, count);
    board->is.line_count -= count;
    memmove(board->line, board->line + count, board->is.line_count);
    return count;
}

static void take_planned(struct memory_board *board, uint64_t until_us) {
    struct present *is = &board->is;
    while (is->next_planned < board->planned_count && board->planned[is->next_planned].at_us <= until_us) {
        const struct planned_input *input = &board->planned[is->next_planned++];
        take_input(is, input->number, input->level != 0, input->at_us);
    }
}

/* While no carriage moves, nothing but the next reading of the inputs needs a tick. */
static uint64_t next_tick_us(const struct present *is) {
    const uint32_t since_us = (uint32_t)is->tick_us - is->feeder.scanned_us;
    if (twf_axes_move(&is->feeder.machine.axes) || since_us >= TWF_SCAN_US)
        return is->tick_us + TWF_TICK_US;
    const uint32_t ticks = (TWF_SCAN_US - since_us + TWF_TICK_US - 1u) / TWF_TICK_US;
    return is->tick_us + (uint64_t)ticks * TWF_TICK_US;
}

static uint64_t go_on(struct memory_board *board, uint64_t until_us) {
    struct present *is = &board->is;
    const size_t said = is->line_count;
    running = board;
    for (;;) {
        const uint64_t next_us = next_tick_us(is);
        if (is->changed || is->line_count != said || next_us > until_us)
            break;
        take_planned(board, next_us);
        is->tick_us = next_us;
        is->now_us = next_us > is->now_us ? next_us : is->now_us;
        tick(is);
        twf_feeder_poll(&is->feeder);
    }
    if (!is->changed && is->line_count == said && until_us > is->now_us) {
        take_planned(board, until_us);
        is->now_us = until_us;
    }
    return is->now_us;
}

uint64_t memory_board_run(struct memory_board *board, uint64_t until_us, uint16_t *news) {
    struct present *is = &board->is;
    const uint64_t at_us = go_on(board, until_us);
    *news = (uint16_t)(is->moved | (is->changed ? MEMORY_BOARD_CHANGED : 0) | (is->line_count > 0 ? MEMORY_BOARD_SAID : 0));
    is->changed = false;
    is->moved = 0;
    memcpy(board->memory, &is->feeder.machine.kept, sizeof is->feeder.machine.kept);
    return at_us;
}

uint64_t memory_board_foresee(struct memory_board *board, uint64_t until_us) {
    board->kept = board->is;
    const uint64_t at_us = go_on(board, until_us);
    board->is = board->kept;
    return at_us;
}

void memory_board_image(struct memory_board *board, const uint8_t *inputs) {
    memcpy(board->is.inputs, inputs, TWF_INPUT_BYTES);
    for (uint8_t shuttle = 0; shuttle < TWF_SHUTTLES; shuttle++)
        for (uint8_t flag = 0; flag < 2u; flag++) {
            const uint16_t number = flag ? twf_in_at_place(shuttle) : twf_in_home(shuttle);
            take_plug(&board->is, number, twf_bit_of(inputs, number));
        }
    look_at_end_stops(&board->is);
}

void memory_board_input(struct memory_board *board, uint16_t number, uint8_t level) {
    take_input(&board->is, number, level != 0, board->is.now_us);
}

void memory_board_stick(struct memory_board *board, uint16_t number, uint8_t how) {
    struct present *is = &board->is;
    const uint8_t mask = twf_mask((uint8_t)(number % 8u));
    is->stuck[number / 8u] |= mask;
    if (how == MEMORY_BOARD_HIGH)
        is->stuck_at[number / 8u] |= mask;
    else
        is->stuck_at[number / 8u] &= (uint8_t)~mask;
    if (how == MEMORY_BOARD_FREE)
        is->stuck[number / 8u] &= (uint8_t)~mask;
}

void memory_board_carriage(struct memory_board *board, uint8_t shuttle, uint8_t driven_by, uint8_t drive, int32_t slips) {
    board->is.driven_by[shuttle] = driven_by;
    board->is.drive[shuttle] = drive;
    board->is.stops[shuttle].position += slips;
    board->is.stops[shuttle].closed = board->is.stops[shuttle].position <= 0;
    look_at_end_stops(&board->is);
}

static void forget_past(struct memory_board *board) {
    board->planned_count -= board->is.next_planned;
    memmove(board->planned, board->planned + board->is.next_planned, board->planned_count * sizeof board->planned[0]);
    board->is.next_planned = 0;
}

bool memory_board_plan(struct memory_board *board, uint64_t at_us, uint16_t number, uint8_t level) {
    if (board->planned_count == MOST_PLANNED)
        forget_past(board);
    if (board->planned_count == MOST_PLANNED || number >= 8u * TWF_INPUT_BYTES)
        return false;
    size_t place = board->planned_count++;
    for (; place > board->is.next_planned && board->planned[place - 1u].at_us > at_us; place--)
        board->planned[place] = board->planned[place - 1u];
    board->planned[place] = (struct planned_input){at_us, number, level};
    return true;
}

void memory_board_outputs(const struct memory_board *board, uint8_t *outputs, uint32_t *servo_us, int32_t *steps) {
    memcpy(outputs, board->is.outputs, TWF_OUTPUT_BYTES);
    for (uint8_t shuttle = 0; shuttle < TWF_SHUTTLES; shuttle++)
        steps[shuttle] = board->is.stops[shuttle].position;
    for (uint8_t gate = 0; gate < TWF_READING_GATES; gate++)
        servo_us[gate] = board->is.servo_us[gate];
}

uint8_t memory_board_state(const struct memory_board *board) {
    return twf_session_state(&board->is.feeder);
}

void memory_board_line(const struct memory_board *board, uint32_t *frames, uint32_t *damaged) {
    *frames = board->is.feeder.decoder.frames;
    *damaged = board->is.feeder.decoder.damaged;
}
