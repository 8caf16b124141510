/* Time on timer 5, the step tick on timer 3, the diverter's servo on timer 1, and the width of tiles on INT4. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "../core/board/hal.h"
#include "avr.h"

/* Timer 5 counts half microseconds. */
#define COUNTS_PER_US 2u
#define SERVO_PERIOD_US 4000u

static volatile uint16_t turns; /* of timer 5: 32.8 ms each */
static struct twf_axes *moved;

static volatile uint32_t beam_rose;
static volatile uint32_t beam_longest_us;
static volatile uint8_t beam_pulses;

/* Time ------------------------------------------------------------------------------------------------------------------- */

ISR(TIMER5_OVF_vect) {
    turns++;
}

/* Half microseconds modulo 2^32; interrupts are off. An overflow that is waiting has happened already when the counter is low. */
static uint32_t half_microseconds(void) {
    const uint16_t counter = TCNT5;
    uint16_t high = turns;
    if ((TIFR5 & (1u << TOV5)) != 0 && counter < 0x8000u)
        high++;
    return (uint32_t)high << 16 | counter;
}

/* The counter wraps after 35 minutes, the time after 71: the bit that the halving loses is kept here. */
uint32_t hal_time_us(void) {
    static uint32_t last;
    static uint8_t wraps;
    uint32_t halves;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        halves = half_microseconds();
    }
    if (halves < last)
        wraps++;
    last = halves;
    return halves / COUNTS_PER_US | (uint32_t)wraps << 31;
}

/* Steps -------------------------------------------------------------------------------------------------------------------- */

/* Directions first: drivers want them to stand before the pulse rises. When nothing moves the tick rests, once the last
 * pulse has fallen. */
ISR(TIMER3_COMPA_vect) {
    const struct twf_pulses pulses = twf_axes_tick(moved);
    const uint8_t directions = (uint8_t)(pulses.outward << 4);
    PORTA = directions;
    PORTA = (uint8_t)(directions | pulses.step);
    if (pulses.step == 0 && !twf_axes_move(moved))
        TIMSK3 = 0;
}

/* Wakes the processor for the next scan. */
ISR(TIMER5_COMPA_vect) {
    OCR5A = (uint16_t)(OCR5A + TWF_SCAN_US * COUNTS_PER_US);
}

void hal_steps_lock(void) {
    TIMSK3 = 0;
}

void hal_steps_unlock(void) {
    TIMSK3 = (uint8_t)(1u << OCIE3A);
}

/* Servo -------------------------------------------------------------------------------------------------------------------- */

void hal_servo(uint8_t gate, uint16_t pulse_us) {
    (void)gate;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        OCR1A = (uint16_t)(pulse_us * COUNTS_PER_US);
    }
    TCCR1A = (uint8_t)(1u << COM1A1 | 1u << WGM11); /* pulses begin with the first lane */
}

/* Beam --------------------------------------------------------------------------------------------------------------------- */

ISR(INT4_vect) {
    const uint32_t now = half_microseconds();
    if ((PINE & (1u << PE4)) != 0) {
        beam_rose = now;
        return;
    }
    const uint32_t length_us = (now - beam_rose) / COUNTS_PER_US;
    beam_pulses++;
    if (length_us > beam_longest_us)
        beam_longest_us = length_us;
}

uint8_t hal_beam(uint8_t gate, uint32_t *longest_us) {
    (void)gate;
    uint8_t pulses;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        pulses = beam_pulses;
        *longest_us = beam_longest_us;
        beam_pulses = 0;
        beam_longest_us = 0;
    }
    return pulses;
}

void avr_beam_init(void) {
    EICRB = (uint8_t)(EICRB | (1u << ISC40)); /* both flanks */
    EIFR = (uint8_t)(1u << INTF4);
    EIMSK = (uint8_t)(EIMSK | (1u << INT4));
}

void avr_timers_init(struct twf_axes *axes) {
    moved = axes;
    TCCR5A = 0;
    TCCR5B = (uint8_t)(1u << CS51); /* 2 MHz, free */
    OCR5A = TWF_SCAN_US * COUNTS_PER_US;
    TIMSK5 = (uint8_t)(1u << TOIE5 | 1u << OCIE5A);
    TCCR1A = (uint8_t)(1u << WGM11);
    ICR1 = SERVO_PERIOD_US * COUNTS_PER_US - 1u;
    TCCR1B = (uint8_t)(1u << WGM13 | 1u << WGM12 | 1u << CS11); /* fast PWM, 2 MHz */
    OCR3A = TWF_TICK_US * COUNTS_PER_US - 1u;
    TCCR3A = 0;
    TCCR3B = (uint8_t)(1u << WGM32 | 1u << CS31); /* clear on compare, 2 MHz */
    hal_steps_unlock();
}
