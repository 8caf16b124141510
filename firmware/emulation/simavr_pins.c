/* What is wired to the processor's pins (BOARD.md): ports, the two chains on the SPI, and the servo's timer. */
#include "simavr_board.h"

#include <string.h>

#include <avr_extint.h>
#include <avr_ioport.h>
#include <avr_spi.h>
#include <sim_time.h>

enum {
    SPDR = 0x4e,
    MCUSR = 0x54,
    SPI_BYTE_CYCLES = 34, /* eight bits at 4 MHz */
    OCR1AL = 0x88,
    TCCR1A = 0x80,
    TCCR1B = 0x81,
    COM1A = 0xc0,
    CS1 = 0x07
};

static void (*reset_processor)(avr_t *avr);
static struct board *resetting;

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
            physics_step(&board->physics, axis, (value >> (4 + axis) & 1u) != 0, powered(board), board_time_us(board));
}

static void port_c(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct board *board = param;
    (void)irq;
    board->pins[0] = (uint8_t)((board->pins[0] & 0x01u) | (value & 0x0fu) << 1);
    show_outputs(board);
}

/* The wires are stronger than the processor's pull-ups: they also decide when the firmware writes to the port. */
static void hold_port(struct board *board, char port, uint8_t mask, uint8_t value)
{
    avr_ioport_external_t wires = {.name = (unsigned long)port, .mask = mask, .value = value};
    avr_ioctl(board->avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(port), &wires);
}

/* A port whose four lowest pins are low while these inputs are high, through the firmware's pull-ups. */
static void pull_down(struct board *board, char port, uint16_t first)
{
    unsigned high = 0;
    for (unsigned axis = 0; axis < PHYSICS_AXES; axis++)
        high |= (unsigned)!physics_input(&board->physics, (uint16_t)(first + axis)) << axis;
    hold_port(board, port, 0x0f, (uint8_t)high);
    for (unsigned axis = 0; axis < PHYSICS_AXES; axis++)
        avr_raise_irq(avr_io_getirq(board->avr, AVR_IOCTL_IOPORT_GETIRQ(port), (int)axis), high >> axis & 1u);
}

static void port_l(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct board *board = param;
    const bool load = (value >> 7 & 1u) == 0;
    const bool latch = (value >> 6 & 1u) != 0;
    (void)irq;
    if (load && !board->load) {
        physics_look_at_end_stops(&board->physics, board_time_us(board));
        chains_load(&board->chains, board->physics.input);
        pull_down(board, 'F', TWF_IN_AT_PLACE);
    }
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

/* The emulator gives every byte 100 us, whatever the clock: the timer that ends it, just planned, is planned anew, or not at all. */
static void time_spi(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param)
{
    const avr_cycle_count_t due = avr->cycle + avr_usec_to_cycles(avr, 100);
    avr_cycle_timer_slot_p slot = avr->cycle_timers.timer;
    const struct board *board = param;
    (void)address;
    (void)value;
    while (slot != NULL && slot->when != due)
        slot = slot->next;
    if (slot == NULL)
        return;
    const avr_cycle_timer_t byte_sent = slot->timer;
    void *const spi = slot->param;
    avr_cycle_timer_cancel(avr, byte_sent, spi);
    if (!board->chain_held)
        avr_cycle_timer_register(avr, SPI_BYTE_CYCLES, byte_sent, spi);
}

/* The pulse that timer 1 makes on OC1A in its PWM modes: the emulator does not draw it on the pin. */
void pins_look_at_servo(struct board *board)
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

static avr_cycle_count_t take_reset_flags(avr_t *avr, avr_cycle_count_t when, void *param)
{
    (void)when;
    (void)param;
    avr->data[MCUSR] = 0;
    return 0;
}

/* After a reset every pin floats: the chain's outputs are disabled by their pull-up, drivers and locks see low. The processor's
 * cycles begin at 0, and the board's time goes on. */
static void come_out_of_reset(avr_t *avr)
{
    struct board *board = resetting;
    if (reset_processor != NULL)
        reset_processor(avr);
    board->base_us = board_time_us(board);
    avr->cycle = 0;
    if (board->bootloader)
        avr_cycle_timer_register(avr, 1, take_reset_flags, NULL);
    board->was_reset = true;
    board->chain_held = false;
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

void pins_set(struct board *board)
{
    const struct physics *physics = &board->physics;
    const unsigned port_e = (unsigned)physics_input(physics, TWF_IN_WELL) << 3 | (unsigned)physics_input(physics, TWF_IN_GATE_BEAM) << 4 |
                            (unsigned)physics_input(physics, TWF_IN_ESTOP) << 5;
    hold_port(board, 'E', 0x38, (uint8_t)port_e);
    hold_port(board, 'H', 0x18, (uint8_t)((unsigned)!physics_input(physics, TWF_IN_DRIVER_FAULT) << 3 |
                                          (unsigned)physics_input(physics, TWF_IN_DRUM_TURNS) << 4));
    avr_raise_irq(avr_io_getirq(board->avr, AVR_IOCTL_IOPORT_GETIRQ('H'), 3), !physics_input(physics, TWF_IN_DRIVER_FAULT));
    pull_down(board, 'F', TWF_IN_AT_PLACE);
    pull_down(board, 'K', TWF_IN_GRIPPER_UP);
    hold_port(board, 'G', 0x20, (uint8_t)((unsigned)physics_input(physics, TWF_IN_LID_OPEN) << 5));
    set_pin(board, 'E', 3, TWF_IN_WELL);
    set_pin(board, 'E', 4, TWF_IN_GATE_BEAM);
    set_pin(board, 'E', 5, TWF_IN_ESTOP);
    set_pin(board, 'G', 5, TWF_IN_LID_OPEN);
    set_pin(board, 'H', 4, TWF_IN_DRUM_TURNS);
}

void pins_connect(struct board *board)
{
    avr_t *avr = board->avr;
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('A'), IOPORT_IRQ_REG_PORT), port_a, board);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('C'), IOPORT_IRQ_REG_PORT), port_c, board);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('L'), IOPORT_IRQ_REG_PORT), port_l, board);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_SPI_GETIRQ(0), SPI_IRQ_OUTPUT), spi_byte, board);
    avr_register_io_write(avr, SPDR, time_spi, board);
    /* A pin that is low would else be looked at in every cycle, on behalf of an interrupt that nobody wants. */
    for (uint8_t number = 0; number < 8; number++)
        avr_extint_set_strict_lvl_trig(avr, number, 0);
    resetting = board;
    reset_processor = avr->reset;
    avr->reset = come_out_of_reset;
    if (board->bootloader)
        avr_cycle_timer_register(avr, 1, take_reset_flags, NULL);
}
