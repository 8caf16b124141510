/* Random bytes, operations and switches against a board in memory, under the sanitizers, until something breaks.
 *
 *   fuzz [--seconds N] [--seed N] [--runs N]
 *
 * A run is a table of random sizes and a few thousand deeds: valid operations under good and bad numbers, session messages,
 * damaged and random bytes, switches that change at random or play along with the outputs, silence, and boots. After each run
 * promises are checked that hold whatever comes: every answer is a frame, numbers of events rise by one, a lock that is open has
 * a lease. The seed of a run that breaks is printed; --seed and --runs 1 play it again.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../core/board/bits.h"
#include "../core/board/table.h"
#include "../core/link/crc32.h"
#include "../core/link/frames.h"
#include "../core/machine.h"
#include "board.h"

enum {
    DEEDS = 3000,
    LINE_BYTES = 16384
};

static uint64_t row;

/* xorshift64*: a row of numbers that depends on the seed alone. */
static uint32_t draw(uint32_t below) {
    row ^= row >> 12;
    row ^= row << 25;
    row ^= row >> 27;
    return (uint32_t)((row * 0x2545f4914f6cdd1dull) >> 33) % below;
}

struct run {
    struct memory_board *board;
    uint16_t news;
    uint64_t now_us;
    uint32_t operation;
    uint32_t acknowledged;
    uint32_t last_event;
    uint8_t digest[8];
    struct twf_kept kept;
    struct twf_decoder decoder;
    bool lawful; /* switches follow the outputs, as at a machine */
    uint8_t outputs[TWF_OUTPUT_BYTES];
};

static void fail(const char *what) {
    (void)fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

static void write_record(uint8_t record[TWF_RECORD_SIZE]) {
    static const uint8_t name[] = {'T', 'W', 'F', '1', 'F', 'U', 'Z', 'Z', '0', '0', '0', '1'};
    memset(record, 0, TWF_RECORD_SIZE);
    memcpy(record, name, sizeof name);
    const uint8_t hand = (uint8_t)draw(20);
    const uint8_t wall = (uint8_t)(hand + draw(41u - hand));
    record[14] = hand;
    record[13] = wall;
    record[12] = (uint8_t)(wall + draw(41u - wall));
    record[15] = (uint8_t)draw(9);
    record[16] = (uint8_t)(1 + draw(2));
    record[17] = (uint8_t)draw(2);
    twf_put_u16(record + 18, (uint16_t)(1 + draw(600)));
    twf_put_u16(record + 20, (uint16_t)(1 + draw(3000)));
    record[22] = (uint8_t)(1 + draw(40));
    record[28] = (uint8_t)draw(2);
    twf_put_u32(record + 36, twf_crc32(record, 36));
    if (draw(20) == 0)
        record[draw(TWF_RECORD_SIZE)] ^= (uint8_t)(1u << draw(8)); /* a damaged one must do no harm */
}

static void boot(struct run *run) {
    uint8_t record[TWF_RECORD_SIZE];
    int32_t steps[TWF_SHUTTLES];
    struct twf_table table;
    write_record(record);
    (void)twf_table_read(&table, record);
    memcpy(run->digest, table.digest, sizeof run->digest);
    for (unsigned seat = 0; seat < TWF_SEATS; seat++)
        steps[seat] = (int32_t)draw(100);
    memory_board_boot(run->board, record, 1 + draw(1000), TWF_RESET_POWER_ON, run->now_us, steps, 41 * table.steps_per_position, (uint8_t *)&run->kept);
    twf_decoder_init(&run->decoder);
    run->operation = run->acknowledged = run->last_event = 0;
    run->lawful = draw(4) != 0;
}

/* What the firmware says must be frames, and events must come in the order of their numbers. */
static void listen(struct run *run) {
    static uint8_t line[LINE_BYTES];
    struct twf_frame frame;
    const size_t count = memory_board_take(run->board, line, sizeof line);
    for (size_t i = 0; i < count; i++) {
        if (!twf_decoder_take(&run->decoder, line[i], &frame))
            continue;
        if (frame.type < TWF_FIRST_EVENT)
            continue;
        const uint32_t number = twf_get_u32(frame.payload);
        if (number > run->last_event + 1u)
            fail("an event has been left out");
        if (number == run->last_event + 1u)
            run->last_event = number;
    }
    if (run->decoder.damaged != 0)
        fail("the firmware sent what is no frame");
}

static void send(struct run *run, uint8_t type, const uint8_t *payload, uint8_t size, uint32_t operation) {
    const struct twf_header header = {.version = TWF_VERSION, .type = type, .operation = operation};
    struct twf_encoded encoded;
    twf_encode(&header, payload, size, &encoded);
    if (draw(50) == 0)
        encoded.bytes[draw(encoded.count)] ^= (uint8_t)(1u << draw(8));
    memory_board_receive(run->board, encoded.bytes, encoded.count);
}

static void operate(struct run *run) {
    static const uint8_t types[] = {
        TWF_TYPE_FEED,    TWF_TYPE_HOLD,  TWF_TYPE_PLACE,     TWF_TYPE_PLACE,      TWF_TYPE_PLACE,  TWF_TYPE_BYPASS, TWF_TYPE_RELEASE,
        TWF_TYPE_RETURN,  TWF_TYPE_RECIRCULATE, TWF_TYPE_REJECT, TWF_TYPE_DUMP,    TWF_TYPE_RAISE,  TWF_TYPE_OPEN_WELL,
        TWF_TYPE_CLOSE_WELL, TWF_TYPE_UNLOCK, TWF_TYPE_RENEW, TWF_TYPE_LOCK,       TWF_TYPE_SENSE,  TWF_TYPE_CLEAR,  TWF_TYPE_STOP,
        TWF_TYPE_BRING_UP, TWF_TYPE_DRIVE, TWF_TYPE_DRIVE};
    /* any type now and then, but for acknowledgements: nobody acknowledges what he has not heard */
    const uint8_t any = (uint8_t)draw(256);
    const uint8_t type = draw(30) == 0 && any != TWF_TYPE_EVENT_ACK ? any : types[draw(sizeof types)];
    const int8_t size = twf_size_from_host(type);
    uint8_t payload[TWF_MAX_PAYLOAD];
    for (unsigned i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)(draw(8) == 0 ? draw(256) : draw(i == 0 ? 9 : 41));
    if (type == TWF_TYPE_UNLOCK || type == TWF_TYPE_RENEW)
        twf_put_u32(payload + 1, draw(3000));
    if (type == TWF_TYPE_DRIVE) {
        payload[0] = (uint8_t)draw(140);
        twf_put_u16(payload + 1, (uint16_t)draw(2100));
    }
    if (type == TWF_TYPE_CLEAR)
        payload[0] = (uint8_t)draw(16);
    if (draw(10) != 0)
        run->operation++;
    const uint32_t number = draw(40) == 0 ? draw(run->operation + 5) : run->operation;
    send(run, type, payload, (uint8_t)(size >= 0 && draw(40) != 0 ? (uint32_t)size : draw(TWF_MAX_PAYLOAD + 1u)), number);
}

static void converse(struct run *run) {
    uint8_t payload[8] = {0};
    switch (draw(8)) {
    case 0:
        payload[4] = payload[5] = TWF_VERSION;
        send(run, TWF_TYPE_HELLO, payload, TWF_SIZE_HELLO, 0);
        break;
    case 1:
        send(run, draw(2) == 0 ? TWF_TYPE_STATUS_REQUEST : TWF_TYPE_PINS_REQUEST, payload, 0, 0);
        break;
    case 2:
        twf_put_u32(payload, draw(3) == 0 ? draw(run->last_event + 1u) : run->last_event);
        send(run, TWF_TYPE_EVENT_ACK, payload, TWF_SIZE_EVENT_ACK, 0);
        break;
    case 3:
    case 4:
        send(run, TWF_TYPE_CONFIG, run->digest, TWF_SIZE_CONFIG, 0);
        break;
    default:
        send(run, TWF_TYPE_HEARTBEAT, payload, 0, 0);
        break;
    }
}

static void make_noise(struct run *run) {
    uint8_t bytes[200];
    const uint32_t count = draw(sizeof bytes);
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)draw(draw(4) == 0 ? 3 : 256);
    memory_board_receive(run->board, bytes, count);
}

static bool shows(const struct run *run, uint16_t output) {
    return twf_bit_of(run->outputs, output);
}

static void pulse(struct run *run, uint16_t input, bool idle) {
    memory_board_input(run->board, input, !idle);
    run->now_us = memory_board_run(run->board, run->now_us + 9000u, &run->news);
    memory_board_input(run->board, input, idle);
}

/* What a machine would do after its outputs, in about the right order: tiles arrive, cams turn, locks move. */
static void play_along(struct run *run) {
    uint32_t servo_us = 0;
    int32_t steps[TWF_SHUTTLES];
    const uint8_t seat = (uint8_t)draw(TWF_SEATS);
    memory_board_outputs(run->board, run->outputs, &servo_us, steps);
    memory_board_input(run->board, TWF_IN_DRIVER_FAULT, !shows(run, TWF_OUT_MOTOR_POWER));
    if (shows(run, TWF_OUT_BELT)) {
        pulse(run, TWF_IN_GATE_BEAM, false);
        memory_board_input(run->board, TWF_IN_RETURN_LANE, 0);
        memory_board_input(run->board, TWF_IN_GATE_FULL, 1);
    }
    if (shows(run, TWF_OUT_EJECT)) {
        memory_board_input(run->board, TWF_IN_GATE_FULL, 0);
        run->now_us = memory_board_run(run->board, run->now_us + 9000u, &run->news);
        pulse(run, (uint16_t)draw(6), false);
    }
    for (uint16_t cell = 0; cell < TWF_MOST_CELLS; cell++)
        if (shows(run, TWF_OUT_CELL + cell))
            memory_board_input(run->board, TWF_IN_CELL_FULL + cell, 0);
    memory_board_input(run->board, TWF_IN_PICKED + seat, shows(run, TWF_OUT_PICKER + seat));
    memory_board_input(run->board, TWF_IN_GRIPPER_UP + seat, 1);
    memory_board_input(run->board, TWF_IN_LOCK_IS_OPEN + seat, shows(run, TWF_OUT_LOCK + seat));
    memory_board_input(run->board, TWF_IN_REAR_LOCK_IS_OPEN + seat, shows(run, TWF_OUT_REAR_LOCK + seat));
    if (shows(run, TWF_OUT_PURGE))
        pulse(run, TWF_IN_PURGE_SHUT, true);
    if (shows(run, TWF_OUT_LIFT))
        pulse(run, TWF_IN_LIFT_DOWN, true);
    if (shows(run, TWF_OUT_TRAY_FLOOR + seat))
        pulse(run, TWF_IN_TRAY_FLOOR_SHUT + seat, true);
    if (shows(run, TWF_OUT_MAGAZINE_FLOOR + seat))
        pulse(run, TWF_IN_MAGAZINE_FLOOR_SHUT + seat, true);
    if (shows(run, TWF_OUT_DOOR_OPEN) || shows(run, TWF_OUT_DOOR_SHUT)) {
        memory_board_input(run->board, TWF_IN_DOOR_IS_OPEN, shows(run, TWF_OUT_DOOR_OPEN));
        memory_board_input(run->board, TWF_IN_DOOR_IS_SHUT, shows(run, TWF_OUT_DOOR_SHUT));
    }
}

static void touch(struct run *run) {
    if (run->lawful && draw(12) != 0)
        memory_board_input(run->board, (uint16_t)(TWF_IN_TRAY + draw(320)), (uint8_t)draw(2));
    else if (run->lawful)
        memory_board_input(run->board, (uint16_t)(TWF_IN_LID_OPEN + draw(4)), (uint8_t)draw(2));
    else
        memory_board_input(run->board, (uint16_t)draw(8u * TWF_INPUT_BYTES), (uint8_t)draw(2));
}

static void act(struct run *run) {
    const uint32_t deed = draw(100);
    if (deed < 40)
        operate(run);
    else if (deed < 60)
        converse(run);
    else if (deed < 65)
        touch(run);
    else if (deed < 68)
        make_noise(run);
    else if (run->lawful)
        play_along(run);
    else
        touch(run);
    run->now_us = memory_board_run(run->board, run->now_us + (draw(200) == 0 ? 1500000u : draw(8000)), &run->news);
    listen(run);
}

static void play(uint64_t seed, struct memory_board *board) {
    struct run run = {.board = board, .now_us = 0xfff00000u}; /* the clock wraps soon */
    uint8_t inputs[TWF_INPUT_BYTES] = {0};
    row = seed * 0x9e3779b97f4a7c15ull + 1u;
    boot(&run);
    for (uint16_t number = TWF_IN_HOME; number < TWF_IN_LOCK_IS_OPEN; number++)
        inputs[number / 8u] |= twf_mask((uint8_t)(number % 8u));
    inputs[TWF_IN_DOOR_IS_SHUT / 8u] |= twf_mask(TWF_IN_LIFT_DOWN % 8u) | twf_mask(TWF_IN_PURGE_SHUT % 8u) | twf_mask(TWF_IN_DOOR_IS_SHUT % 8u);
    memory_board_image(board, inputs);
    for (uint32_t deed = 0; deed < DEEDS; deed++) {
        act(&run);
        if (draw(2000) == 0)
            boot(&run);
    }
}

static uint64_t number_of(const char *text) {
    char *end = NULL;
    const uint64_t number = strtoull(text, &end, 10);
    if (*text == '\0' || *end != '\0')
        fail("use: fuzz [--seconds N] [--seed N] [--runs N]");
    return number;
}

int main(int count, char **words) {
    uint64_t seconds = 10;
    uint64_t runs = UINT64_MAX;
    uint64_t seed = (uint64_t)time(NULL);
    for (int i = 1; i + 1 < count; i += 2) {
        if (strcmp(words[i], "--seconds") == 0)
            seconds = number_of(words[i + 1]);
        else if (strcmp(words[i], "--seed") == 0)
            seed = number_of(words[i + 1]);
        else if (strcmp(words[i], "--runs") == 0)
            runs = number_of(words[i + 1]);
    }
    struct memory_board *board = memory_board_new();
    const time_t end = time(NULL) + (time_t)seconds;
    uint64_t done = 0;
    if (board == NULL)
        return 1;
    for (; done < runs && (runs != UINT64_MAX || time(NULL) < end); done++) {
        const unsigned long long present = seed + done;
        (void)fprintf(stderr, "\rseed %llu ", present);
        play(present, board);
    }
    memory_board_free(board);
    printf("\n%llu runs of %d deeds, from seed %llu: nothing broke\n", (unsigned long long)done, DEEDS, (unsigned long long)seed);
    return 0;
}
