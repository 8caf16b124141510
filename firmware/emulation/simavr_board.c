/* The feeder's board with its ATmega2560 emulated: runs the AVR build of the firmware at the pace of the wall clock.
 *
 *   twinwall-feeder-avr --physics SOCKET --memory FILE --firmware ELF [--bootloader]
 *
 * The processor runs in slices of 200 us, and no longer than to the next change of an input, so that edges come to the cycle.
 * Pins and chains are those of BOARD.md; what is at the other end of the wires is the physics' business (PHYSICS.md). Killing
 * this process is a power cut: only FILE, the EEPROM, outlasts it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <avr_eeprom.h>
#include <sim_elf.h>

#include "simavr_board.h"

enum {
    SLICE_US = 200,
    MOST_LAG_US = 20000,
    CHORES_US = 10000,
    RAM_BEGIN = 0x200,
    PAINT = 0xa5,
    UNTOUCHED = 256 /* more than any function leaves unwritten of its locals */
};

int64_t board_time_us(const struct board *board)
{
    return board->base_us + (int64_t)(board->avr->cycle / MHZ);
}

/* The memory --------------------------------------------------------------------------------------------- */

static bool open_memory(struct board *board, const char *path)
{
    memset(board->eeprom, 0xff, sizeof board->eeprom);
    board->memory = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (board->memory < 0 || pread(board->memory, board->eeprom, sizeof board->eeprom, 0) < 0) {
        fprintf(stderr, "board: the memory %s cannot be used: %s\n", path, strerror(errno));
        return false;
    }
    avr_eeprom_desc_t all = {.ee = board->eeprom, .offset = 0, .size = sizeof board->eeprom};
    avr_ioctl(board->avr, AVR_IOCTL_EEPROM_SET, &all);
    return true;
}

static void save_memory(struct board *board)
{
    avr_eeprom_desc_t all = {.ee = NULL, .offset = 0, .size = sizeof board->eeprom};
    avr_ioctl(board->avr, AVR_IOCTL_EEPROM_GET, &all);
    if (all.ee == NULL || memcmp(all.ee, board->eeprom, sizeof board->eeprom) == 0)
        return;
    memcpy(board->eeprom, all.ee, sizeof board->eeprom);
    if (pwrite(board->memory, board->eeprom, sizeof board->eeprom, 0) < 0)
        fprintf(stderr, "board: the memory cannot be written: %s\n", strerror(errno));
}

/* The stack ---------------------------------------------------------------------------------------------- */

/* A processor comes with anything in its memory; with paint in it, the stack shows how deep it has been. */
static void paint_memory(avr_t *avr)
{
    memset(avr->data + RAM_BEGIN, PAINT, (size_t)(avr->ramend + 1 - RAM_BEGIN));
}

/* Say how deep the stack has been, whenever it has been deeper. */
static void look_at_stack(struct board *board)
{
    const uint8_t *data = board->avr->data;
    const unsigned top = board->avr->ramend + 1u;
    unsigned paint = 0;
    unsigned at = top - board->stack;
    while (paint < UNTOUCHED && at > RAM_BEGIN)
        paint = data[--at] == PAINT ? paint + 1 : 0;
    const uint16_t stack = (uint16_t)(top - at - paint);
    if (stack <= board->stack)
        return;
    board->stack = stack;
    printf("STACK %u\n", stack);
    fflush(stdout);
}

/* The processor ------------------------------------------------------------------------------------------ */

static void no_sleep(avr_t *avr, avr_cycle_count_t how_long)
{
    (void)avr;
    (void)how_long; /* the slices keep the pace */
}

static avr_cycle_count_t slice_over(avr_t *avr, avr_cycle_count_t when, void *param)
{
    (void)avr;
    (void)when;
    (void)param;
    return 0; /* its being due has ended a burst of instructions or a sleep, which is all it is for */
}

static void quiet_logger(avr_t *avr, const int level, const char *format, va_list arguments)
{
    (void)avr;
    if (level <= LOG_ERROR)
        vfprintf(stderr, format, arguments);
}

static avr_t *make_processor(const char *file)
{
    elf_firmware_t firmware;
    memset(&firmware, 0, sizeof firmware);
    avr_global_logger_set(quiet_logger);
    if (elf_read_firmware(file, &firmware) != 0) {
        fprintf(stderr, "board: %s is no firmware for this board\n", file);
        return NULL;
    }
    avr_t *avr = avr_make_mcu_by_name("atmega2560");
    if (avr == NULL || avr_init(avr) != 0)
        return NULL;
    avr->frequency = MHZ * 1000000u;
    firmware.frequency = avr->frequency;
    avr_load_firmware(avr, &firmware);
    paint_memory(avr);
    avr->sleep = no_sleep;
    avr->log = LOG_ERROR;
    return avr;
}

/* Run until the wall's time `until_us`; false when the processor has stopped for good. */
static bool run_until(struct board *board, int64_t until_us)
{
    const int64_t left = (until_us - board->base_us) * MHZ - (int64_t)board->avr->cycle;
    if (left <= 0)
        return true;
    avr_cycle_timer_register(board->avr, (avr_cycle_count_t)left, slice_over, NULL);
    while ((int64_t)board->avr->cycle < (until_us - board->base_us) * MHZ) { /* a reset sets both anew */
        const int state = avr_run(board->avr);
        if (state == cpu_Done || state == cpu_Crashed) {
            fprintf(stderr, "board: the processor stopped at %#" PRIx32 " after %" PRIu64 " cycles\n", board->avr->pc, board->avr->cycle);
            return false;
        }
    }
    return true;
}

/* Wait until the wall has caught up with the processor. What cannot be caught up with is given up: the wall's clock only sets
 * the pace, and the board's own never jumps. */
static void keep_pace(struct board *board)
{
    const int64_t ahead_us = board_time_us(board) + board->behind_us - physics_clock_us();
    if (ahead_us > 0) {
        const struct timespec rest = {.tv_sec = 0, .tv_nsec = (long)ahead_us * 1000};
        nanosleep(&rest, NULL);
    } else if (ahead_us < -MOST_LAG_US) {
        board->behind_us -= ahead_us + MOST_LAG_US;
    }
}

/* The reset button, and a wire that comes loose. */
static void press_buttons(struct board *board)
{
    if (board->port.reset_pressed) {
        board->port.reset_pressed = false;
        avr_reset(board->avr);
        avr_regbit_set(board->avr, board->avr->reset_flags.extrf);
    }
    if (board->port.chain_pulled) {
        board->port.chain_pulled = false;
        board->chain_held = true;
    }
}

static bool run_slice(struct board *board)
{
    const int64_t end_us = board_time_us(board) + SLICE_US;
    int64_t now_us = board_time_us(board);
    while (now_us < end_us) {
        if (physics_advance(&board->physics, now_us))
            pins_set(board);
        const int64_t next_us = physics_next_us(&board->physics);
        if (!run_until(board, next_us < end_us ? next_us : end_us))
            return false;
        if (board->was_reset) {
            board->was_reset = false;
            pins_set(board);
        }
        now_us = board_time_us(board);
    }
    pins_look_at_servo(board);
    physics_tell_axes(&board->physics, now_us);
    line_exchange(board);
    if (now_us - board->chores_us >= CHORES_US) {
        board->chores_us = now_us;
        port_obey(&board->port);
        press_buttons(board);
        look_at_stack(board);
        save_memory(board);
    }
    if (!physics_receive(&board->physics))
        return false;
    while (!physics_keep_step(&board->physics, now_us)) {
        physics_wait(&board->physics);
        if (!physics_receive(&board->physics))
            return false;
    }
    return true;
}

static int use(void)
{
    fprintf(stderr, "use: twinwall-feeder-avr --physics SOCKET --memory FILE --firmware ELF [--bootloader]\n");
    return 2;
}

int main(int count, char **words)
{
    static const struct option options[] = {
        {"physics", required_argument, NULL, 'p'}, {"memory", required_argument, NULL, 'm'}, {"firmware", required_argument, NULL, 'f'},
        {"bootloader", no_argument, NULL, 'b'}, {0}};
    static const int16_t homes[2 * PHYSICS_AXES] = {TWF_IN_HOME,     TWF_IN_HOME + 1,     TWF_IN_HOME + 2,     TWF_IN_HOME + 3,
                                                    TWF_IN_AT_PLACE, TWF_IN_AT_PLACE + 1, TWF_IN_AT_PLACE + 2, TWF_IN_AT_PLACE + 3};
    static struct board board;
    const char *physics = NULL, *memory = NULL, *firmware = NULL;
    for (int option; (option = getopt_long(count, words, "", options, NULL)) != -1;) {
        switch (option) {
        case 'p': physics = optarg; break;
        case 'm': memory = optarg; break;
        case 'f': firmware = optarg; break;
        case 'b': board.bootloader = true; break;
        default: return use();
        }
    }
    if (physics == NULL || memory == NULL || firmware == NULL || optind != count)
        return use();
    (void)prctl(PR_SET_TIMERSLACK, 1UL); /* slices end when they should, not 50 us later */
    port_init(&board.port);
    board.port.buttons = true;
    board.avr = make_processor(firmware);
    if (board.avr == NULL || !open_memory(&board, memory) || !physics_connect(&board.physics, physics, homes, 8 * TWF_OUTPUT_BYTES))
        return 1;
    pins_connect(&board);
    line_connect(&board);
    if (!port_plug(&board.port))
        return 1;
    pins_set(&board);
    board.base_us = physics_clock_us();
    while (run_slice(&board))
        keep_pace(&board);
    save_memory(&board);
    return 0;
}
