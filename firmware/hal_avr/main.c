/* The firmware on the ATmega2560: starts the parts of the board and runs the core for ever, under the watchdog. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>

#include "../build/digest.h"
#include "../core/board/hal.h"
#include "../core/feeder.h"
#include "avr.h"

static struct twf_feeder feeder;

#define AWAKE 0x54574631UL

/* What outlasts a reset, but not a loss of power: what reset the processor, read before the start-up code touches anything (the
 * watchdog would go on biting otherwise); whether the firmware had been running; and whether the watchdog was about to bite. */
static uint8_t reset_flags __attribute__((section(".noinit")));
static uint32_t awake __attribute__((section(".noinit")));
static volatile uint32_t starving __attribute__((section(".noinit")));

static void note_reset(void) __attribute__((naked, used, section(".init3")));
static void note_reset(void) {
    reset_flags = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

/* The watchdog calls once before it bites, after half of its time. */
ISR(WDT_vect) {
    starving = AWAKE;
}

/* A bootloader that starts first may have taken the flags: then the memory tells, which is random after a loss of power. */
static uint8_t remembered_reason(void) {
    if (awake != AWAKE)
        return TWF_RESET_POWER_ON;
    return starving == AWAKE ? TWF_RESET_WATCHDOG : TWF_RESET_RESET_PIN;
}

static uint8_t reset_reason(void) {
    if (reset_flags == 0)
        return remembered_reason();
    if ((reset_flags & (1u << WDRF)) != 0)
        return TWF_RESET_WATCHDOG;
    if ((reset_flags & (1u << PORF)) != 0)
        return TWF_RESET_POWER_ON;
    if ((reset_flags & (1u << BORF)) != 0)
        return TWF_RESET_BROWN_OUT;
    return TWF_RESET_RESET_PIN; /* the button, or a programmer at the JTAG port */
}

static uint8_t *const unfinished_at = (uint8_t *)TWF_UNFINISHED_AT;

/* Written where it changes only: the memory bears 100,000 times, a blind's place once a draw. What a loss of power leaves half written
 * has more bits set than one of the two has: a place no nearer than the blind's. */
static void remember(void) {
    eeprom_update_block(&feeder.machine.kept, (void *)TWF_KEPT_AT, sizeof feeder.machine.kept);
    eeprom_update_byte(unfinished_at, feeder.machine.bring_up.unfinished ? 0 : 0xffu);
}

uint32_t avr_memory_open(uint8_t record[TWF_RECORD_SIZE]) {
    uint32_t *const counted = (uint32_t *)TWF_BOOTS_AT;
    const uint32_t boots = eeprom_read_dword(counted) + 1u;
    eeprom_read_block(record, (const void *)0, TWF_RECORD_SIZE);
    eeprom_update_dword(counted, boots);
    return boots;
}

/* Sleep until an interrupt comes: a byte, the next millisecond, a step. */
static void rest(void) {
    cli();
    if (avr_uart_waits()) {
        sei();
        return;
    }
    sleep_enable();
    sei(); /* the instruction behind it is carried out before any interrupt */
    sleep_cpu();
    sleep_disable();
}

static void watch(void) {
    awake = AWAKE;
    starving = 0;
    wdt_enable(WDTO_60MS); /* 120 ms: the first half ends in a call, the second in a reset */
    WDTCSR |= (uint8_t)(1u << WDIE);
}

static void feed_watchdog(void) {
    wdt_reset();
    if (starving == AWAKE) { /* it was called and has come back in time: the next call has to be asked for anew */
        starving = 0;
        WDTCSR |= (uint8_t)(1u << WDIE);
    }
}

/* One byte a turn: a host that never pauses must not keep the inputs from being read. */
static void take_byte(void) {
    uint8_t byte = 0;
    if (avr_uart_read(&byte))
        twf_feeder_receive(&feeder, byte);
}

int main(void) {
    uint8_t record[TWF_RECORD_SIZE];
    struct twf_identity identity = {.reset_reason = reset_reason(), .firmware_digest = TWF_FIRMWARE_DIGEST};
    avr_pins_init();
    const uint32_t boots = avr_memory_open(record);
    identity.boot_id = twf_boot_id(record, boots);
    identity.unfinished = eeprom_read_byte(unfinished_at) == 0;
    eeprom_read_block(&identity.kept, (const void *)TWF_KEPT_AT, sizeof identity.kept);
    avr_timers_init(&feeder.machine.axes);
    avr_uart_init();
    avr_beam_init();
    twf_feeder_init(&feeder, record, &identity);
    watch();
    sei();
    for (;;) {
        feed_watchdog();
        take_byte();
        twf_feeder_poll(&feeder);
        remember();
        avr_show_life(hal_time_us());
        rest();
    }
}
