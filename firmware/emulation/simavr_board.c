/* The feeder's board with its ATmega2560 emulated: runs the AVR build of the firmware at the pace of the wall clock.
 *
 *   twinwall-feeder-avr --physics SOCKET --memory FILE --firmware ELF
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
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <avr_eeprom.h>
#include <avr_extint.h>
#include <avr_ioport.h>
#include <avr_spi.h>
#include <avr_uart.h>
#include <sim_avr.h>
#include <sim_elf.h>
#include <sim_time.h>

#include "chains.h"
#include "physics.h"
#include "port.h"

enum {
    MHZ = 16,
    SLICE_US = 200,
    MOST_LAG_US = 20000,
    CHORES_US = 10000,
    EEPROM_BYTES = 4096,
    LINE_BYTES = 4096,
    SPDR = 0x4e,
    SPI_BYTE_CYCLES = 34, /* eight bits at 4 MHz */
    OCR1AL = 0x88,
    TCCR1A = 0x80,
    TCCR1B = 0x81,
    COM1A = 0xc0,
    CS1 = 0x07
};

struct board {
    avr_t *avr;
    struct physics physics;
    struct port port;
    struct chains chains;
    int memory;
    uint8_t eeprom[EEPROM_BYTES];
    int64_t base_us;   /* the board's time at the processor's cycle 0 */
    int64_t behind_us; /* how far the board's clock has fallen behind the wall's for good */
    int64_t chores_us;
    uint8_t pins[TWF_OUTPUT_BYTES - TWF_OUTPUT_CHAIN_BYTES];
    uint8_t steps;
    bool load;
    bool latch;
    uint32_t servo_us;
    bool listening; /* the processor's receiver has room */
    uint8_t line_in[LINE_BYTES];
    size_t line_in_count;
    size_t line_in_next;
    uint8_t line_out[LINE_BYTES];
    size_t line_out_count;
};

static void (*reset_processor)(avr_t *avr);
static struct board *resetting;

static int64_t board_time_us(const struct board *board)
{
    return board->base_us + (int64_t)(board->avr->cycle / MHZ);
}

/* Outputs ------------------------------------------------------------------------------------------------ */

static void show_outputs(struct board *board)
{
    uint8_t image[TWF_OUTPUT_BYTES];
    chains_outputs(&board->chains, image);
    memcpy(image + TWF_OUTPUT_CHAIN_BYTES, board->pins, sizeof board->pins);
    physics_outputs(&board->physics, image, board_time_us(board));
}

static bool powered(const struct board *board)
{
    return (board->pins[0] & 1u) != 0 && !physics_input(&board->physics, TWF_IN_LID_OPEN) && !physics_input(&board->physics, TWF_IN_ESTOP);
}

static void port_a(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct board *board = param;
    const uint8_t rising = (uint8_t)(value & ~board->steps & 0x0fu);
    (void)irq;
    board->steps = (uint8_t)value;
    for (unsigned axis = 0; rising != 0 && axis < PHYSICS_AXES; axis++)
        if ((rising >> axis & 1u) != 0)
            physics_step(&board->physics, axis, (value >> (4 + axis) & 1u) != 0, powered(board));
}

static void port_c(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct board *board = param;
    (void)irq;
    board->pins[0] = (uint8_t)((board->pins[0] & 0x01u) | (value & 0x0fu) << 1);
    show_outputs(board);
}

static void port_l(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct board *board = param;
    const bool load = (value >> 7 & 1u) == 0;
    const bool latch = (value >> 6 & 1u) != 0;
    (void)irq;
    if (load && !board->load)
        chains_load(&board->chains, board->physics.input);
    if (latch && !board->latch)
        chains_latch(&board->chains);
    board->load = load;
    board->latch = latch;
    board->chains.enabled = (value >> 4 & 1u) == 0;
    board->pins[0] = (uint8_t)((board->pins[0] & ~1u) | (value >> 5 & 1u));
    show_outputs(board);
}

static void spi_byte(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct board *board = param;
    (void)irq;
    avr_raise_irq(avr_io_getirq(board->avr, AVR_IOCTL_SPI_GETIRQ(0), SPI_IRQ_INPUT), chains_shift(&board->chains, (uint8_t)value));
}

/* The emulator gives every byte 100 us, whatever the clock: the timer that ends it, just planned, is planned anew. */
static void hurry_spi(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    const avr_cycle_count_t due = avr->cycle + avr_usec_to_cycles(avr, 100);
    avr_cycle_timer_slot_p slot = avr->cycle_timers.timer;
    (void)address;
    (void)value;
    (void)param;
    while (slot != NULL && slot->when != due)
        slot = slot->next;
    if (slot == NULL)
        return;
    const avr_cycle_timer_t byte_sent = slot->timer;
    void *const spi = slot->param;
    avr_cycle_timer_cancel(avr, byte_sent, spi);
    avr_cycle_timer_register(avr, SPI_BYTE_CYCLES, byte_sent, spi);
}

/* The pulse that timer 1 makes on OC1A in its PWM modes: the emulator does not draw it on the pin. */
static void look_at_servo(struct board *board)
{
    static const uint16_t divider[] = {0, 1, 8, 64, 256, 1024, 0, 0};
    const uint8_t *registers = board->avr->data;
    const uint32_t counts = (uint32_t)registers[OCR1AL] | (uint32_t)registers[OCR1AL + 1] << 8;
    const uint32_t pulse_us = counts * divider[registers[TCCR1B] & CS1] / MHZ;
    if ((registers[TCCR1A] & COM1A) == 0 || pulse_us == board->servo_us || pulse_us == 0)
        return;
    board->servo_us = pulse_us;
    physics_servo(&board->physics, pulse_us, board_time_us(board));
}

/* After a reset every pin floats: the chain's outputs are disabled by their pull-up, drivers and locks see low. */
static void let_pins_float(avr_t *avr)
{
    struct board *board = resetting;
    if (reset_processor != NULL)
        reset_processor(avr);
    board->chains.enabled = false;
    board->load = board->latch = false;
    board->steps = 0;
    memset(board->pins, 0, sizeof board->pins);
    show_outputs(board);
}

/* Inputs ------------------------------------------------------------------------------------------------- */

static void set_pin(struct board *board, char port, unsigned pin, uint16_t bit)
{
    avr_raise_irq(avr_io_getirq(board->avr, AVR_IOCTL_IOPORT_GETIRQ(port), (int)pin), physics_input(&board->physics, bit));
}

/* The wires are stronger than the processor's pull-ups: they also decide when the firmware writes to the port. */
static void hold_port(struct board *board, char port, uint8_t mask, uint8_t value)
{
    avr_ioport_external_t wires = {.name = (unsigned long)port, .mask = mask, .value = value};
    avr_ioctl(board->avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(port), &wires);
}

static void set_pins(struct board *board)
{
    const struct physics *physics = &board->physics;
    const unsigned port_e = (unsigned)physics_input(physics, TWF_IN_WELL) << 3 | (unsigned)physics_input(physics, TWF_IN_GATE_BEAM) << 4 |
                            (unsigned)physics_input(physics, TWF_IN_ESTOP) << 5;
    hold_port(board, 'E', 0x38, (uint8_t)port_e);
    hold_port(board, 'G', 0x20, (uint8_t)((unsigned)physics_input(physics, TWF_IN_LID_OPEN) << 5));
    set_pin(board, 'E', 3, TWF_IN_WELL);
    set_pin(board, 'E', 4, TWF_IN_GATE_BEAM);
    set_pin(board, 'E', 5, TWF_IN_ESTOP);
    set_pin(board, 'G', 5, TWF_IN_LID_OPEN);
}

/* The line ----------------------------------------------------------------------------------------------- */

static void uart_sent(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct board *board = param;
    (void)irq;
    if (board->line_out_count < sizeof board->line_out)
        board->line_out[board->line_out_count++] = (uint8_t)value;
}

static void feed_uart(struct board *board)
{
    while (board->listening && board->line_in_next < board->line_in_count)
        avr_raise_irq(avr_io_getirq(board->avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT), board->line_in[board->line_in_next++]);
}

static void uart_has_room(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct board *board = param;
    (void)irq;
    (void)value;
    board->listening = true;
    feed_uart(board);
}

static void uart_is_full(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct board *board = param;
    (void)irq;
    (void)value;
    board->listening = false;
}

static void exchange_line(struct board *board)
{
    if (board->line_out_count > 0)
        port_write(&board->port, board->line_out, board->line_out_count);
    board->line_out_count = 0;
    if (board->line_in_next == board->line_in_count) {
        board->line_in_count = port_read(&board->port, board->line_in, sizeof board->line_in);
        board->line_in_next = 0;
    }
    feed_uart(board);
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
    avr->sleep = no_sleep;
    avr->log = LOG_ERROR;
    return avr;
}

static void connect_pins(struct board *board)
{
    avr_t *avr = board->avr;
    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), uart_sent, board);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON), uart_has_room, board);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF), uart_is_full, board);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('A'), IOPORT_IRQ_REG_PORT), port_a, board);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('C'), IOPORT_IRQ_REG_PORT), port_c, board);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('L'), IOPORT_IRQ_REG_PORT), port_l, board);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_SPI_GETIRQ(0), SPI_IRQ_OUTPUT), spi_byte, board);
    avr_register_io_write(avr, SPDR, hurry_spi, board);
    /* A pin that is low would else be looked at in every cycle, on behalf of an interrupt that nobody wants. */
    for (uint8_t number = 0; number < 8; number++)
        avr_extint_set_strict_lvl_trig(avr, number, 0);
    resetting = board;
    reset_processor = avr->reset;
    avr->reset = let_pins_float;
}

/* Run until the wall's time `until_us`; false when the processor has stopped for good. */
static bool run_until(struct board *board, int64_t until_us)
{
    const avr_cycle_count_t until = (avr_cycle_count_t)(until_us - board->base_us) * MHZ;
    if (until <= board->avr->cycle)
        return true;
    avr_cycle_timer_register(board->avr, until - board->avr->cycle, slice_over, NULL);
    while (board->avr->cycle < until) {
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

static bool run_slice(struct board *board)
{
    const int64_t end_us = board_time_us(board) + SLICE_US;
    int64_t now_us = board_time_us(board);
    while (now_us < end_us) {
        if (physics_advance(&board->physics, now_us))
            set_pins(board);
        const int64_t next_us = physics_next_us(&board->physics);
        if (!run_until(board, next_us < end_us ? next_us : end_us))
            return false;
        now_us = board_time_us(board);
    }
    look_at_servo(board);
    physics_tell_axes(&board->physics, now_us);
    exchange_line(board);
    if (now_us - board->chores_us >= CHORES_US) {
        board->chores_us = now_us;
        port_obey(&board->port);
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
    fprintf(stderr, "use: twinwall-feeder-avr --physics SOCKET --memory FILE --firmware ELF\n");
    return 2;
}

int main(int count, char **words)
{
    static const struct option options[] = {
        {"physics", required_argument, NULL, 'p'}, {"memory", required_argument, NULL, 'm'}, {"firmware", required_argument, NULL, 'f'}, {0}};
    static const int16_t homes[PHYSICS_AXES] = {TWF_IN_HOME, TWF_IN_HOME + 1, TWF_IN_HOME + 2, TWF_IN_HOME + 3};
    static struct board board;
    const char *physics = NULL, *memory = NULL, *firmware = NULL;
    for (int option; (option = getopt_long(count, words, "", options, NULL)) != -1;) {
        switch (option) {
        case 'p': physics = optarg; break;
        case 'm': memory = optarg; break;
        case 'f': firmware = optarg; break;
        default: return use();
        }
    }
    if (physics == NULL || memory == NULL || firmware == NULL || optind != count)
        return use();
    (void)prctl(PR_SET_TIMERSLACK, 1UL); /* slices end when they should, not 50 us later */
    port_init(&board.port);
    board.avr = make_processor(firmware);
    if (board.avr == NULL || !open_memory(&board, memory) || !physics_connect(&board.physics, physics, homes, 8 * TWF_OUTPUT_BYTES))
        return 1;
    connect_pins(&board);
    if (!port_plug(&board.port))
        return 1;
    set_pins(&board);
    board.base_us = physics_clock_us();
    while (run_slice(&board))
        keep_pace(&board);
    save_memory(&board);
    return 0;
}
