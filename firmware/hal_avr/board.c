/* Chains and pins: what BOARD.md wires to ports. */
#include <avr/io.h>
#include <util/delay.h>

#include "../core/board/bits.h"
#include "../core/board/hal.h"
#include "avr.h"

/* Ports of BOARD.md. */
#define SCK_PIN PB1
#define MOSI_PIN PB2
#define SS_PIN PB0
#define SERVO_PIN PB5
#define LIFE_PIN PB7
#define CHAIN_ENABLE PL4
#define MOTOR_POWER PL5
#define CHAIN_LATCH PL6
#define CHAIN_LOAD PL7
#define REAR_LOCKS 0x0fu
#define PLACE_FLAGS 0x0fu
#define GRIPPERS_UP 0x0fu
#define LIFE_US 500000u

static bool shown;

void avr_pins_init(void) {
    PORTL = (uint8_t)(1u << CHAIN_ENABLE | 1u << CHAIN_LOAD);
    DDRL = (uint8_t)(1u << CHAIN_ENABLE | 1u << MOTOR_POWER | 1u << CHAIN_LATCH | 1u << CHAIN_LOAD);
    PORTC = 0;
    DDRC = REAR_LOCKS;
    PORTA = 0;
    DDRA = 0xffu;
    DDRB = (uint8_t)(1u << SS_PIN | 1u << SCK_PIN | 1u << MOSI_PIN | 1u << SERVO_PIN | 1u << LIFE_PIN);
    PORTE = (uint8_t)(1u << PE3 | 1u << PE4 | 1u << PE5); /* pull-ups: a broken wire reads as pressed or open */
    PORTG = (uint8_t)(1u << PG5);
    PORTF = PLACE_FLAGS; /* a broken wire reads as between two places, */
    PORTK = GRIPPERS_UP; /* or as a gripper that is down */
    SPCR = (uint8_t)(1u << SPE | 1u << MSTR); /* mode 0, a quarter of 16 MHz, highest bit first */
    SPSR = 0;
}

static uint8_t shift(uint8_t byte) {
    SPDR = byte;
    while ((SPSR & (1u << SPIF)) == 0)
        continue;
    return SPDR;
}

static void set_pin(volatile uint8_t *port, uint8_t pin, bool on) {
    if (on)
        *port = (uint8_t)(*port | (1u << pin));
    else
        *port = (uint8_t)(*port & ~(1u << pin));
}

static uint8_t read_pins(void) {
    const uint8_t port_e = PINE;
    uint8_t pins = 0;
    if (twf_bit(PING, PG5))
        pins |= twf_mask(TWF_IN_LID_OPEN % 8u);
    if (twf_bit(port_e, PE5))
        pins |= twf_mask(TWF_IN_ESTOP % 8u);
    if (twf_bit(port_e, PE4))
        pins |= twf_mask(TWF_IN_GATE_BEAM % 8u);
    if (twf_bit(port_e, PE3))
        pins |= twf_mask(TWF_IN_WELL % 8u);
    if (!twf_bit(PINH, PH3))
        pins |= twf_mask(TWF_IN_DRIVER_FAULT % 8u);
    if (twf_bit(PINH, PH4))
        pins |= twf_mask(TWF_IN_DRUM_TURNS % 8u);
    return pins;
}

static void show_pins(const uint8_t *outputs) {
    const uint8_t pins = outputs[TWF_OUTPUT_CHAIN_BYTES];
    PORTC = (uint8_t)(pins >> (TWF_OUT_REAR_LOCK % 8u) & REAR_LOCKS);
    set_pin(&PORTL, MOTOR_POWER, twf_bit(pins, TWF_OUT_MOTOR_POWER % 8u));
}

/* One shift does both: the inputs come in while the outputs, last, go out; the outputs' chips keep the last four bytes. */
void hal_board_exchange(const uint8_t outputs[TWF_OUTPUT_BYTES], uint8_t *inputs, bool whole) {
    const uint8_t count = whole ? TWF_CHAIN_BYTES : TWF_OUTPUT_CHAIN_BYTES;
    const uint8_t wanted = whole ? TWF_CHAIN_BYTES : TWF_FAST_BYTES;
    PORTL = (uint8_t)(PORTL & ~(1u << CHAIN_LOAD));
    _delay_us(1);
    PORTL = (uint8_t)(PORTL | (1u << CHAIN_LOAD));
    for (uint8_t i = 0; i < count; i++) {
        const uint8_t left = (uint8_t)(count - i);
        const uint8_t in = shift(left <= TWF_OUTPUT_CHAIN_BYTES ? outputs[TWF_OUTPUT_CHAIN_BYTES - left] : 0);
        if (i < wanted)
            inputs[i] = in;
    }
    PORTL = (uint8_t)(PORTL | (1u << CHAIN_LATCH));
    PORTL = (uint8_t)(PORTL & ~(1u << CHAIN_LATCH));
    if (!shown) {
        shown = true;
        PORTL = (uint8_t)(PORTL & ~(1u << CHAIN_ENABLE));
    }
    show_pins(outputs);
    inputs[TWF_CHAIN_BYTES] = read_pins();
    inputs[TWF_CHAIN_BYTES + 1u] = (uint8_t)(((uint8_t)~PINF & PLACE_FLAGS) | (((uint8_t)~PINK & GRIPPERS_UP) << 4u));
}

void avr_show_life(uint32_t now_us) {
    static uint32_t turned_us;
    if (now_us - turned_us < LIFE_US)
        return;
    turned_us = now_us;
    PINB = (uint8_t)(1u << LIFE_PIN); /* writing a one to PIN turns the output over */
}
