/* UART0 at 115200 baud, interrupt-driven in both directions. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "../core/board/hal.h"
#include "avr.h"

#define BAUD 115200UL
/* A status, a beat, an answer and an event find room behind each other to be sent. */
#define RX_BYTES 128u
#define TX_BYTES 256u

static volatile uint8_t rx[RX_BYTES];
static volatile uint8_t rx_in;
static volatile uint8_t rx_out;
static volatile uint8_t tx[TX_BYTES];
static volatile uint8_t tx_in;
static volatile uint8_t tx_out;

/* A byte that finds no room, or came broken, is lost: its frame will not pass the CRC. */
ISR(USART0_RX_vect) {
    const uint8_t byte = UDR0;
    const uint8_t next = (uint8_t)((rx_in + 1u) % RX_BYTES);
    if (next == rx_out)
        return;
    rx[rx_in] = byte;
    rx_in = next;
}

ISR(USART0_UDRE_vect) {
    if (tx_out == tx_in) {
        UCSR0B = (uint8_t)(UCSR0B & ~(1u << UDRIE0));
        return;
    }
    UDR0 = tx[tx_out];
    tx_out++;
}

bool avr_uart_waits(void) {
    return rx_out != rx_in;
}

bool avr_uart_read(uint8_t *byte) {
    if (rx_out == rx_in)
        return false;
    *byte = rx[rx_out];
    rx_out = (uint8_t)((rx_out + 1u) % RX_BYTES);
    return true;
}

bool hal_uart_write(const uint8_t *bytes, uint8_t count) {
    uint8_t in = tx_in;
    const uint8_t room = (uint8_t)(tx_out - in - 1); /* positions wrap as bytes do */
    if (room < count)
        return false;
    for (uint8_t i = 0; i < count; i++) {
        tx[in] = bytes[i];
        in++;
    }
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        tx_in = in;
        UCSR0B = (uint8_t)(UCSR0B | (1u << UDRIE0));
    }
    return true;
}

bool hal_uart_rests(void) {
    return tx_out == tx_in;
}

void avr_uart_init(void) {
    UCSR0A = (uint8_t)(1u << U2X0);
    UBRR0 = (uint16_t)((F_CPU + BAUD * 4u) / (BAUD * 8u) - 1u);
    UCSR0C = (uint8_t)(1u << UCSZ01 | 1u << UCSZ00); /* 8N1 */
    UCSR0B = (uint8_t)(1u << RXCIE0 | 1u << RXEN0 | 1u << TXEN0);
}
