/* The core on a Cortex-M3 (STM32F100), to show that nothing in it is an AVR's: the line is USART1, and no table is wired.
 *
 * The inputs are those of a machine at rest with an empty drum, so that the session opens; whatever needs a tile is refused.
 * There is no memory of a table either: it is the reference one. Written for the emulated VL discovery board; a real one would
 * need its clocks set before anything else.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../build/digest.h"
#include "../core/board/bits.h"
#include "../core/board/hal.h"
#include "../core/feeder.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define USART1_SR REGISTER(0x40013800u)
#define USART1_DR REGISTER(0x40013804u)
#define USART1_CR1 REGISTER(0x4001380cu)
#define SYSTICK_CTRL REGISTER(0xe000e010u)
#define SYSTICK_LOAD REGISTER(0xe000e014u)
#define SYSTICK_VALUE REGISTER(0xe000e018u)
#define INTERRUPT_STATE REGISTER(0xe000ed04u)

enum {
    MHZ = 24,
    TICK_US = 100000, /* an emulator that is held up loses ticks that are shorter than its pauses */
    TURN_US = 200000,
    RXNE = 1 << 5,
    TXE = 1 << 7,
    TICK_PENDING = 1 << 26
};

static struct twf_feeder feeder;
static volatile uint32_t ticks;
static uint8_t inputs[TWF_INPUT_BYTES];
static bool turning;
static uint32_t turning_since_us;

/* What the core asks for ------------------------------------------------------------------------------------------------- */

uint32_t hal_time_us(void) {
    __asm__ volatile("cpsid i" ::: "memory");
    uint32_t begun = ticks;
    uint32_t left = SYSTICK_VALUE;
    if ((INTERRUPT_STATE & TICK_PENDING) != 0) { /* it has run out meanwhile, and nobody has counted that yet */
        begun++;
        left = SYSTICK_VALUE;
    }
    __asm__ volatile("cpsie i" ::: "memory");
    return begun * TICK_US + (MHZ * TICK_US - 1u - left) / MHZ;
}

bool hal_uart_write(const uint8_t *bytes, uint8_t count) {
    for (uint8_t i = 0; i < count; i++) {
        while ((USART1_SR & TXE) == 0) {
        }
        USART1_DR = bytes[i];
    }
    return true;
}

bool hal_uart_rests(void) {
    return true;
}

void hal_board_exchange(const uint8_t outputs[TWF_OUTPUT_BYTES], uint8_t *into, bool whole) {
    (void)whole;
    memcpy(into, inputs, sizeof inputs);
    if (twf_bit_of(outputs, TWF_OUT_PURGE)) { /* the only cam that a start waits for */
        turning = true;
        turning_since_us = hal_time_us();
    }
    turning = turning && hal_time_us() - turning_since_us < TURN_US;
    (void)twf_axes_tick(&feeder.machine.axes); /* no carriage is there: they stand where the core has sent them */
    for (uint8_t seat = 0; seat < TWF_SEATS; seat++)
        if (feeder.machine.axes.axis[seat].position > 0)
            into[TWF_IN_HOME / 8u] &= (uint8_t)~twf_mask((uint8_t)(TWF_IN_HOME % 8u + seat));
    if (!twf_bit_of(outputs, TWF_OUT_MOTOR_POWER)) /* the drivers' line lives on the motors' supply */
        into[TWF_IN_DRIVER_FAULT / 8u] |= twf_mask(TWF_IN_DRIVER_FAULT % 8u);
    if (turning)
        into[TWF_IN_PURGE_SHUT / 8u] &= (uint8_t)~twf_mask(TWF_IN_PURGE_SHUT % 8u);
}

void hal_servo(uint8_t gate, uint16_t pulse_us) {
    (void)gate;
    (void)pulse_us;
}

uint8_t hal_beam(uint8_t gate, uint32_t *longest_us) {
    (void)gate;
    *longest_us = 0;
    return 0;
}

void hal_steps_lock(void) {
}

void hal_steps_unlock(void) {
}

/* The processor ---------------------------------------------------------------------------------------------------------- */

static void set(uint16_t number) {
    inputs[number / 8u] |= twf_mask((uint8_t)(number % 8u));
}

static void rest(void) {
    for (uint8_t seat = 0; seat < TWF_SEATS; seat++) {
        set((uint16_t)(TWF_IN_HOME + seat));
        set((uint16_t)(TWF_IN_AT_PLACE + seat));
        set((uint16_t)(TWF_IN_GRIPPER_UP + seat));
        set((uint16_t)(TWF_IN_TRAY_FLOOR_SHUT + seat));
        set((uint16_t)(TWF_IN_MAGAZINE_FLOOR_SHUT + seat));
    }
    set(TWF_IN_LIFT_DOWN);
    set(TWF_IN_PURGE_SHUT);
    set(TWF_IN_DOOR_IS_SHUT);
    set(TWF_IN_DRUM_EMPTY);
}

static void on_tick(void) {
    ticks++;
}

static void run(void) {
    const struct twf_identity identity = {.boot_id = 1, .reset_reason = TWF_RESET_POWER_ON, .firmware_digest = TWF_FIRMWARE_DIGEST};
    uint8_t record[TWF_RECORD_SIZE];
    memset(record, 0xff, sizeof record);
    rest();
    twf_feeder_init(&feeder, record, &identity);
    USART1_CR1 = 1u << 13 | 1u << 3 | 1u << 2; /* on, both ways */
    SYSTICK_LOAD = MHZ * TICK_US - 1u;
    SYSTICK_VALUE = 0;
    SYSTICK_CTRL = 7;
    for (;;) {
        while ((USART1_SR & RXNE) != 0) /* not by interrupt: the emulator forgets one when bytes come close together */
            twf_feeder_receive(&feeder, (uint8_t)USART1_DR);
        twf_feeder_poll(&feeder);
    }
}

extern uint32_t data_image, data_begin, data_end, bss_begin, bss_end;

void reset(void);
void reset(void) {
    memcpy(&data_begin, &data_image, (size_t)((uint8_t *)&data_end - (uint8_t *)&data_begin));
    memset(&bss_begin, 0, (size_t)((uint8_t *)&bss_end - (uint8_t *)&bss_begin));
    run();
}

static void hang(void) {
    for (;;) {
    }
}

typedef void handler(void);
extern handler stack_top; /* an address only: the first vector is where the stack begins */
enum { VECTORS = 16 };
static handler *const vectors[VECTORS] __attribute__((section(".vectors"), used)) = {
    stack_top, reset, hang, hang, hang, hang, hang, [15] = on_tick};
