/* The processor's UART at the board's port. */
#include "simavr_board.h"

#include <avr_uart.h>

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

void line_exchange(struct board *board)
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

void line_connect(struct board *board)
{
    avr_t *avr = board->avr;
    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), uart_sent, board);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XON), uart_has_room, board);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUT_XOFF), uart_is_full, board);
}
