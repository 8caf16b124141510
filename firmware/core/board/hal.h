/* What the core asks of the machine under it; one implementation for each target (hal_avr, hal_host, hal_memory).
 *
 * Every call returns at once. The core is never called from two places at a time, with one exception:
 * twf_axes_tick may interrupt the rest, and twf_axes guards what it shares with hal_steps_lock and hal_steps_unlock.
 */
#ifndef TWF_HAL_H
#define TWF_HAL_H

#include <stdbool.h>
#include <stdint.h>

#include "board.h"

/* Microseconds of wall time, modulo 2^32. */
uint32_t hal_time_us(void);

/* Send all of `count` bytes later on, or none of them: false when there is no room for all. */
bool hal_uart_write(const uint8_t *bytes, uint8_t count);

/* Whether all that was to be sent has left the buffer (not yet the line); true where a line takes any number of bytes at once. */
bool hal_uart_rests(void);

/* Show the outputs and read the inputs, TWF_INPUT_BYTES of them; unless `whole`, only bytes 0 to TWF_FAST_BYTES - 1 and the
 * last one need be read, the others are left alone. */
void hal_board_exchange(const uint8_t outputs[TWF_OUTPUT_BYTES], uint8_t *inputs, bool whole);

/* Length of a gate's diverter's pulses from now on. */
void hal_servo(uint8_t gate, uint16_t pulse_us);

/* Pulses of a gate's GATE_BEAM that have ended since the last call, and the length of the longest. */
uint8_t hal_beam(uint8_t gate, uint32_t *longest_us);

/* Keep the step tick out, and let it in again: it must come within TWF_TICK_US then if there are steps to make. */
void hal_steps_lock(void);
void hal_steps_unlock(void);

#endif
