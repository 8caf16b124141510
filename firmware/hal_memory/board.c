#include "board.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../core/bits.h"
#include "../core/feeder.h"
#include "../core/hal.h"

enum {
    LINE_BYTES = 16384 /* what nobody takes beyond this is lost, as on a line */
};

struct memory_board {
    struct twf_feeder feeder;
    uint64_t now_us;
    uint64_t tick_us;
    uint8_t inputs[TWF_INPUT_BYTES];
    uint8_t outputs[TWF_OUTPUT_BYTES];
    uint16_t servo_us;
    bool changed;
    int32_t steps[TWF_SEATS];
    int32_t most_steps;
    uint64_t beam_rose_us;
    uint32_t beam_longest_us;
    uint8_t beam_pulses;
    uint8_t line[LINE_BYTES];
    size_t line_count;
};

static struct memory_board *running;

uint32_t hal_time_us(void) {
    return (uint32_t)running->now_us;
}

bool hal_uart_write(const uint8_t *bytes, uint8_t count) {
    if (running->line_count + count > LINE_BYTES)
        return false;
    memcpy(running->line + running->line_count, bytes, count);
    running->line_count += count;
    return true;
}

void hal_board_exchange(const uint8_t outputs[TWF_OUTPUT_BYTES], uint8_t *inputs, bool whole) {
    (void)whole;
    if (memcmp(running->outputs, outputs, TWF_OUTPUT_BYTES) != 0) {
        memcpy(running->outputs, outputs, TWF_OUTPUT_BYTES);
        running->changed = true;
    }
    memcpy(inputs, running->inputs, TWF_INPUT_BYTES);
}

void hal_servo(uint16_t pulse_us) {
    running->servo_us = pulse_us;
    running->changed = true;
}

uint8_t hal_beam(uint32_t *longest_us) {
    const uint8_t pulses = running->beam_pulses;
    *longest_us = running->beam_longest_us;
    running->beam_pulses = 0;
    running->beam_longest_us = 0;
    return pulses;
}

void hal_steps_lock(void) {
}

void hal_steps_unlock(void) {
}

static void set_input(struct memory_board *board, uint16_t number, bool level) {
    uint8_t *byte = &board->inputs[number / 8u];
    const uint8_t mask = twf_mask((uint8_t)(number % 8u));
    *byte = (uint8_t)(level ? *byte | mask : *byte & (uint8_t)~mask);
}

static void set_end_stops(struct memory_board *board) {
    for (uint8_t seat = 0; seat < TWF_SEATS; seat++)
        set_input(board, (uint16_t)(TWF_IN_HOME + seat), board->steps[seat] == 0);
}

static bool powered(const struct memory_board *board) {
    return twf_bit_of(board->outputs, TWF_OUT_MOTOR_POWER) && !twf_bit_of(board->inputs, TWF_IN_LID_OPEN) &&
           !twf_bit_of(board->inputs, TWF_IN_ESTOP);
}

/* One tick of the steppers; an end stop stops a carriage, and without power nothing moves. */
static void tick(struct memory_board *board) {
    const struct twf_pulses pulses = twf_axes_tick(&board->feeder.machine.axes);
    if (pulses.step == 0 || !powered(board))
        return;
    for (uint8_t seat = 0; seat < TWF_SEATS; seat++) {
        const int32_t to = board->steps[seat] + (twf_bit(pulses.outward, seat) ? 1 : -1);
        if (twf_bit(pulses.step, seat) && to >= 0 && to <= board->most_steps)
            board->steps[seat] = to;
    }
    set_end_stops(board);
}

struct memory_board *memory_board_new(void) {
    return calloc(1, sizeof(struct memory_board));
}

void memory_board_free(struct memory_board *board) {
    free(board);
}

void memory_board_boot(struct memory_board *board, const uint8_t *record, uint32_t boot_id, uint8_t reset_reason, uint64_t now_us,
                       const int32_t *steps, int32_t most_steps) {
    const struct twf_identity identity = {boot_id, reset_reason, {'m', 'e', 'm', 'o', 'r', 'y', '0', '1'}};
    memset(board, 0, sizeof *board);
    running = board;
    board->now_us = board->tick_us = now_us;
    board->most_steps = most_steps;
    memcpy(board->steps, steps, sizeof board->steps);
    set_end_stops(board);
    twf_feeder_init(&board->feeder, record, &identity);
}

void memory_board_receive(struct memory_board *board, const uint8_t *bytes, size_t count) {
    running = board;
    for (size_t i = 0; i < count; i++)
        twf_feeder_receive(&board->feeder, bytes[i]);
}

size_t memory_board_take(struct memory_board *board, uint8_t *bytes, size_t most) {
    const size_t count = board->line_count < most ? board->line_count : most;
    memcpy(bytes, board->line, count);
    board->line_count -= count;
    memmove(board->line, board->line + count, board->line_count);
    return count;
}

uint64_t memory_board_run(struct memory_board *board, uint64_t until_us) {
    running = board;
    board->changed = false;
    while (!board->changed && board->tick_us + TWF_TICK_US <= until_us) {
        board->tick_us += TWF_TICK_US;
        board->now_us = board->tick_us > board->now_us ? board->tick_us : board->now_us;
        tick(board);
        twf_feeder_poll(&board->feeder);
    }
    if (!board->changed && until_us > board->now_us)
        board->now_us = until_us;
    return board->now_us;
}

void memory_board_image(struct memory_board *board, const uint8_t *inputs) {
    memcpy(board->inputs, inputs, TWF_INPUT_BYTES);
    set_end_stops(board);
}

void memory_board_input(struct memory_board *board, uint16_t number, uint8_t level) {
    set_input(board, number, level != 0);
    if (number != TWF_IN_GATE_BEAM)
        return;
    if (level != 0) {
        board->beam_rose_us = board->now_us;
        return;
    }
    const uint32_t length_us = (uint32_t)(board->now_us - board->beam_rose_us);
    board->beam_pulses++;
    if (length_us > board->beam_longest_us)
        board->beam_longest_us = length_us;
}

void memory_board_outputs(const struct memory_board *board, uint8_t *outputs, uint32_t *servo_us, int32_t *steps) {
    memcpy(outputs, board->outputs, TWF_OUTPUT_BYTES);
    memcpy(steps, board->steps, sizeof board->steps);
    *servo_us = board->servo_us;
}

uint8_t memory_board_state(const struct memory_board *board) {
    return twf_feeder_state(&board->feeder);
}

void memory_board_line(const struct memory_board *board, uint32_t *frames, uint32_t *damaged) {
    *frames = board->feeder.decoder.frames;
    *damaged = board->feeder.decoder.damaged;
}
