/* The feeder's firmware as a program of a computer: its serial port is a pseudo-terminal, its pins are wired to the physics.
 *
 *   twinwall-feeder-host --physics SOCKET --memory FILE
 *
 * It prints `PTY PATH` once the port is there and runs until it is killed, which is a power cut, or the physics goes.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../build/digest.h"
#include "../core/board/bits.h"
#include "../core/board/hal.h"
#include "../core/feeder.h"
#include "../emulation/physics.h"
#include "../emulation/port.h"

enum {
    MOST_LAG_US = 20000
};

struct host_board {
    struct twf_feeder feeder;
    struct physics physics;
    struct port port;
    int64_t now_us;
    int64_t behind_us; /* how far the board's clock has fallen behind the wall's for good */
    uint8_t outputs[TWF_OUTPUT_BYTES];
    bool beam;
    int64_t beam_rose_us;
    uint32_t beam_longest_us;
    uint8_t beam_pulses;
};

static struct host_board board;

/* What the core asks for ------------------------------------------------------------------------------------------------- */

uint32_t hal_time_us(void) {
    return (uint32_t)board.now_us;
}

bool hal_uart_write(const uint8_t *bytes, uint8_t count) {
    port_write(&board.port, bytes, count);
    return true;
}

bool hal_uart_rests(void) {
    return true;
}

void hal_board_exchange(const uint8_t outputs[TWF_OUTPUT_BYTES], uint8_t *inputs, bool whole) {
    (void)whole;
    memcpy(board.outputs, outputs, TWF_OUTPUT_BYTES);
    physics_outputs(&board.physics, outputs, board.now_us);
    physics_look_at_end_stops(&board.physics, board.now_us);
    memcpy(inputs, board.physics.input, TWF_INPUT_BYTES);
}

void hal_servo(uint8_t gate, uint16_t pulse_us) {
    (void)gate;
    physics_servo(&board.physics, pulse_us, board.now_us);
}

uint8_t hal_beam(uint8_t gate, uint32_t *longest_us) {
    (void)gate;
    const uint8_t pulses = board.beam_pulses;
    *longest_us = board.beam_longest_us;
    board.beam_pulses = 0;
    board.beam_longest_us = 0;
    return pulses;
}

void hal_steps_lock(void) {
}

void hal_steps_unlock(void) {
}

/* Pins ------------------------------------------------------------------------------------------------------------------- */

static void watch_beam(int64_t at_us) {
    const bool level = physics_input(&board.physics, TWF_IN_GATE_BEAM);
    if (level == board.beam)
        return;
    board.beam = level;
    if (level) {
        board.beam_rose_us = at_us;
        return;
    }
    const uint32_t length_us = (uint32_t)(at_us - board.beam_rose_us);
    board.beam_pulses++;
    if (length_us > board.beam_longest_us)
        board.beam_longest_us = length_us;
}

/* Bring the inputs to what they are at a time, change by change, so that none hides another. */
static void advance_inputs(int64_t until_us) {
    for (int64_t at_us = physics_next_us(&board.physics); at_us <= until_us; at_us = physics_next_us(&board.physics)) {
        physics_advance(&board.physics, at_us);
        watch_beam(at_us);
    }
}

static bool powered(void) {
    return twf_bit_of(board.outputs, TWF_OUT_MOTOR_POWER) && !physics_input(&board.physics, TWF_IN_LID_OPEN) &&
           !physics_input(&board.physics, TWF_IN_ESTOP);
}

static void tick(void) {
    const struct twf_pulses pulses = twf_axes_tick(&board.feeder.machine.axes);
    for (uint8_t seat = 0; pulses.step != 0 && seat < TWF_SEATS; seat++)
        if (twf_bit(pulses.step, seat))
            physics_step(&board.physics, seat, twf_bit(pulses.outward, seat), powered(), board.now_us);
}

/* Time ------------------------------------------------------------------------------------------------------------------- */

/* Come as far as the wall's clock has, but not ahead of the table. What cannot be caught up with is given up: the wall's clock only
 * sets the pace, and the board's own never jumps. */
static void keep_pace(void) {
    int64_t until_us = physics_clock_us() - board.behind_us;
    if (until_us - board.now_us > MOST_LAG_US) {
        board.behind_us += until_us - board.now_us - MOST_LAG_US;
        until_us = board.now_us + MOST_LAG_US;
    }
    while (board.now_us + (int64_t)TWF_TICK_US <= until_us && physics_keep_step(&board.physics, board.now_us)) {
        board.now_us += TWF_TICK_US;
        advance_inputs(board.now_us);
        tick();
        twf_feeder_poll(&board.feeder);
    }
}

static void listen_to_host(void) {
    uint8_t bytes[256];
    const size_t count = port_read(&board.port, bytes, sizeof bytes);
    for (size_t i = 0; i < count; i++)
        twf_feeder_receive(&board.feeder, bytes[i]);
}

static void sleep_a_while(void) {
    struct pollfd readable[2] = {{.fd = board.port.master, .events = POLLIN}, {.fd = board.physics.fd, .events = POLLIN}};
    poll(readable, 2, 1);
}

/* Memory ----------------------------------------------------------------------------------------------------------------- */

/* Read the record, the byte of the bring-up and what else is kept, and count the boot; false, with the reason on standard error, when
 * the file cannot be used. */
static bool open_memory(const char *path, uint8_t record[TWF_RECORD_SIZE], uint32_t *boots, struct twf_identity *identity) {
    uint8_t memory[TWF_KEPT_AT + sizeof identity->kept];
    memset(memory, 0xff, sizeof memory);
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    bool usable = file >= 0 && pread(file, memory, sizeof memory, 0) >= 0;
    memcpy(record, memory, TWF_RECORD_SIZE);
    identity->unfinished = memory[TWF_UNFINISHED_AT] == 0;
    memcpy(&identity->kept, memory + TWF_KEPT_AT, sizeof identity->kept);
    *boots = twf_get_u32(memory + TWF_BOOTS_AT) + 1u;
    twf_put_u32(memory + TWF_BOOTS_AT, *boots);
    usable = usable && pwrite(file, memory, sizeof memory, 0) == (ssize_t)sizeof memory;
    if (!usable)
        (void)fprintf(stderr, "board: the memory %s cannot be used: %s\n", path, strerror(errno));
    if (file >= 0)
        close(file);
    return usable;
}

static void remember(const char *path) {
    struct twf_identity *const known = &board.feeder.identity;
    const struct twf_machine *machine = &board.feeder.machine;
    if (known->unfinished == machine->bring_up.unfinished && memcmp(&known->kept, &machine->kept, sizeof known->kept) == 0)
        return;
    known->unfinished = machine->bring_up.unfinished;
    known->kept = machine->kept;
    uint8_t bytes[1u + sizeof known->kept] = {known->unfinished ? 0 : UINT8_MAX};
    memcpy(bytes + 1, &known->kept, sizeof known->kept);
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (pwrite(file, bytes, sizeof bytes, TWF_UNFINISHED_AT) != (ssize_t)sizeof bytes)
        (void)fprintf(stderr, "board: the memory %s cannot be used: %s\n", path, strerror(errno));
    if (file >= 0)
        close(file);
}

static int use(void) {
    (void)fprintf(stderr, "use: twinwall-feeder-host --physics SOCKET --memory FILE\n");
    return 2;
}

int main(int count, char **words) {
    static const struct option options[] = {{"physics", required_argument, NULL, 'p'}, {"memory", required_argument, NULL, 'm'}, {0}};
    static const int16_t homes[2 * PHYSICS_AXES] = {TWF_IN_HOME,     TWF_IN_HOME + 1,     TWF_IN_HOME + 2,     TWF_IN_HOME + 3,
                                                    TWF_IN_AT_PLACE, TWF_IN_AT_PLACE + 1, TWF_IN_AT_PLACE + 2, TWF_IN_AT_PLACE + 3};
    struct twf_identity identity = {.reset_reason = TWF_RESET_POWER_ON, .firmware_digest = TWF_FIRMWARE_DIGEST};
    uint8_t record[TWF_RECORD_SIZE];
    const char *physics = NULL;
    const char *memory = NULL;
    uint32_t boots = 0;
    for (int option; (option = getopt_long(count, words, "", options, NULL)) != -1;) {
        if (option == 'p')
            physics = optarg;
        else if (option == 'm')
            memory = optarg;
        else
            return use();
    }
    if (physics == NULL || memory == NULL || optind != count)
        return use();
    port_init(&board.port);
    if (!open_memory(memory, record, &boots, &identity) || !physics_connect(&board.physics, physics, homes, 8 * TWF_OUTPUT_BYTES))
        return 1;
    identity.boot_id = twf_boot_id(record, boots);
    board.now_us = physics_clock_us();
    twf_feeder_init(&board.feeder, record, &identity);
    if (!port_plug(&board.port))
        return 1;
    while (physics_receive(&board.physics)) {
        keep_pace();
        listen_to_host();
        remember(memory);
        physics_tell_axes(&board.physics, board.now_us);
        port_obey(&board.port);
        sleep_a_while();
    }
    return 0;
}
