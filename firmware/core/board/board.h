/* Where every signal of BOARD.md is: numbers of bits in the image of the inputs and in that of the outputs.
 *
 * Bit b of byte k has number 8 k + b. What a signal means to the table stands in emulation/PHYSICS.md.
 */
#ifndef TWF_BOARD_H
#define TWF_BOARD_H

#include <stdint.h>

/* Reading gates at most. The board of BOARD.md has one; a program that drives a simulated machine with several is compiled with four,
 * and has the signals of "several gates" below. */
#ifndef TWF_READING_GATES
#define TWF_READING_GATES 1u
#endif
#define TWF_SEVERAL (TWF_READING_GATES > 1u)
/* Whether the program may be told by its record that people do what motors would (PHYSICS.md, "A table without motors"). No board is. */
#ifndef TWF_MANUAL
#define TWF_MANUAL 0
#endif

#define TWF_SEATS 4u
/* Of a magazine: the draw gates by seat, then the rear gates by seat. */
#define TWF_GATES 8u
#define TWF_REAR_GATE 4u
#define TWF_REAR_PLACES 3u
#define TWF_MOST_PLACES 40u
#define TWF_PLACE_BYTES 5u
#define TWF_MOST_CELLS 8u
#define TWF_MOST_QUEUE 2u

/* Inputs: bytes 0 to 2 are read every millisecond, the whole chain every fourth, the last two bytes are made of pins. */
#define TWF_IN_CHUTE 0u
#define TWF_IN_DRUM_MOUTH 4u
#define TWF_IN_REJECT_MOUTH 5u
#define TWF_IN_RETURN_LANE 6u
#define TWF_IN_GATE_FULL 7u
#define TWF_IN_CELL_FULL 8u
#define TWF_IN_BACK 16u /* three bits, the lowest of their byte */
#define TWF_IN_DRUM_EMPTY 19u
#define TWF_IN_REAR_LOCK_IS_OPEN 20u
#define TWF_IN_PICKED 24u
#define TWF_IN_HOME 28u
#define TWF_IN_TRAY_FLOOR_SHUT 32u
#define TWF_IN_MAGAZINE_FLOOR_SHUT 36u
#define TWF_IN_LOCK_IS_OPEN 40u
#define TWF_IN_LIFT_DOWN 44u
#define TWF_IN_PURGE_SHUT 45u
#define TWF_IN_DOOR_IS_OPEN 46u
#define TWF_IN_DOOR_IS_SHUT 47u
#define TWF_IN_TRAY 48u
#define TWF_IN_MAGAZINE 208u
#define TWF_IN_LID_OPEN 368u
#define TWF_IN_ESTOP 369u
#define TWF_IN_GATE_BEAM 370u
#define TWF_IN_WELL 371u
#define TWF_IN_DRIVER_FAULT 372u
#define TWF_IN_DRUM_TURNS 373u
#define TWF_IN_AT_PLACE 376u
#define TWF_IN_GRIPPER_UP 380u
#define TWF_FAST_BYTES 3u
#define TWF_CHAIN_BYTES 46u
#define TWF_INPUT_BYTES 48u

/* Outputs: four bytes of the chain, then the pins. */
#define TWF_OUT_PICKER 0u
#define TWF_OUT_LOCK 4u
#define TWF_OUT_TRAY_FLOOR 8u
#define TWF_OUT_MAGAZINE_FLOOR 12u
#define TWF_OUT_CELL 16u
#define TWF_OUT_DRUM 24u
#define TWF_OUT_BELT 25u
#define TWF_OUT_BELT_REVERSE 26u
#define TWF_OUT_EJECT 27u
#define TWF_OUT_LIFT 28u
#define TWF_OUT_DOOR_OPEN 29u
#define TWF_OUT_DOOR_SHUT 30u
#define TWF_OUT_PURGE 31u
#define TWF_OUT_MOTOR_POWER 32u
#define TWF_OUT_REAR_LOCK 33u
#define TWF_OUTPUT_CHAIN_BYTES 4u
#define TWF_OUTPUT_BYTES 5u

/* What DRIVE may name besides: a stepper's way from its end switch, and back to it, by shuttle; the diverter's servo. */
#define TWF_DRIVE_OUTWARD 128u
#define TWF_DRIVE_INWARD 132u
#define TWF_DRIVE_DIVERTER 136u
/* It takes no longer, at any speed: the contactor, and the steps. */
#define TWF_DRIVE_MOST_MS 1054u

#include "several.h"

/* Lanes of the diverter: chutes, cells, drum, reject, and with several gates the pocket. */
#define TWF_SERVO_FIRST_US 1000u
#define TWF_SERVO_RANGE_US 1000u

/* Steps. */
#define TWF_TICK_US 100u
#define TWF_SCAN_US 1000u
#define TWF_SLOW_SCANS 4u

#endif
