/* The parts of the ATmega2560's board (BOARD.md): each file here has one of them. */
#ifndef TWINWALL_HAL_AVR_H
#define TWINWALL_HAL_AVR_H

#include <stdbool.h>
#include <stdint.h>

#include "../core/board/table.h"
#include "../core/motion/axes.h"

/* Pins as they must be before anything else. */
void avr_pins_init(void);
/* Time, the step tick and the diverter's pulses. `axes` is what the tick moves. */
void avr_timers_init(struct twf_axes *axes);
void avr_uart_init(void);
void avr_beam_init(void);

/* The next byte from the host; false when there is none. */
bool avr_uart_read(uint8_t *byte);

/* Whether there is one. */
bool avr_uart_waits(void);

/* Read the table's record, count this boot; the number of boots comes back. */
uint32_t avr_memory_open(uint8_t record[TWF_RECORD_SIZE]);

/* Turn the lamp over when half a second has passed since it was last turned. */
void avr_show_life(uint32_t now_us);

#endif
