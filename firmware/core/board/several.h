/* Signals of a machine with several gates, which the board of BOARD.md has not: board.h includes this. What they mean stands in
 * emulation/PHYSICS.md. */
#ifndef TWF_SEVERAL_H
#define TWF_SEVERAL_H

#include <stdint.h>

/* Of a seat's second shuttle the number is 4 more than the seat's. */
#if TWF_SEVERAL
#define TWF_SHUTTLES 8u
#define TWF_EXCHANGERS 4u
#define TWF_MOST_POCKET 8u
#define TWF_IN_SECOND_CHUTE 384u
#define TWF_IN_SECOND_PICKED 388u
#define TWF_IN_SECOND_HOME 392u
#define TWF_IN_POCKET 396u
#define TWF_IN_EXCHANGER 400u
#define TWF_IN_SECOND_GRIPPER_UP 404u
#define TWF_IN_FURTHER_GATES 408u /* 16 for each gate after the first: cells, then what inputs 4 to 7, 16 to 18 and 370 are at it */
#define TWF_IN_SECOND_AT_PLACE 456u
#undef TWF_INPUT_BYTES
#define TWF_INPUT_BYTES 58u
#define TWF_OUT_SECOND_PICKER 40u
#define TWF_OUT_FURTHER_BELT_REVERSE 44u
#define TWF_OUT_FURTHER_CELLS 48u /* 8 for each gate after the first */
#define TWF_OUT_FURTHER_EJECT 72u
#define TWF_OUT_EXCHANGER 80u /* 8 for each: gate (2 bits), shuttle (3 bits), LOOSEN, GO */
#define TWF_EXCHANGER_SHUTTLE 2u
#define TWF_EXCHANGER_LOOSEN 5u
#define TWF_EXCHANGER_GO 6u
#undef TWF_OUTPUT_BYTES
#define TWF_OUTPUT_BYTES 14u
#else
#define TWF_SHUTTLES TWF_SEATS
#endif

/* A signal of the first gate as it is at another one. */
static inline uint16_t twf_in_at(uint16_t number, uint8_t gate) {
#if TWF_SEVERAL
    const uint16_t own = (uint16_t)(TWF_IN_FURTHER_GATES + 16u * (gate - 1u));
    if (gate > 0 && number == TWF_IN_GATE_BEAM)
        return (uint16_t)(own + 15u);
    if (gate > 0 && number >= TWF_IN_BACK)
        return (uint16_t)(own + 12u + number - TWF_IN_BACK);
    if (gate > 0)
        return (uint16_t)(number >= TWF_IN_CELL_FULL ? own + number - TWF_IN_CELL_FULL : own + 8u + number - TWF_IN_DRUM_MOUTH);
#endif
    (void)gate;
    return number;
}

static inline uint8_t twf_out_at(uint8_t number, uint8_t gate) {
#if TWF_SEVERAL
    if (gate > 0 && number == TWF_OUT_EJECT)
        return (uint8_t)(TWF_OUT_FURTHER_EJECT + gate - 1u);
    if (gate > 0 && number == TWF_OUT_BELT_REVERSE)
        return (uint8_t)(TWF_OUT_FURTHER_BELT_REVERSE + gate - 1u);
    if (gate > 0)
        return (uint8_t)(TWF_OUT_FURTHER_CELLS + 8u * (gate - 1u) + number - TWF_OUT_CELL);
#endif
    (void)gate;
    return number;
}

/* A signal of the first shuttles as it is at any. */
static inline uint16_t twf_in_picked(uint8_t shuttle) {
#if TWF_SEVERAL
    if (shuttle >= TWF_SEATS)
        return (uint16_t)(TWF_IN_SECOND_PICKED + shuttle - TWF_SEATS);
#endif
    return (uint16_t)(TWF_IN_PICKED + shuttle);
}

static inline uint16_t twf_in_home(uint8_t shuttle) {
#if TWF_SEVERAL
    if (shuttle >= TWF_SEATS)
        return (uint16_t)(TWF_IN_SECOND_HOME + shuttle - TWF_SEATS);
#endif
    return (uint16_t)(TWF_IN_HOME + shuttle);
}

static inline uint16_t twf_in_at_place(uint8_t shuttle) {
#if TWF_SEVERAL
    if (shuttle >= TWF_SEATS)
        return (uint16_t)(TWF_IN_SECOND_AT_PLACE + shuttle - TWF_SEATS);
#endif
    return (uint16_t)(TWF_IN_AT_PLACE + shuttle);
}

static inline uint16_t twf_in_gripper_up(uint8_t shuttle) {
#if TWF_SEVERAL
    if (shuttle >= TWF_SEATS)
        return (uint16_t)(TWF_IN_SECOND_GRIPPER_UP + shuttle - TWF_SEATS);
#endif
    return (uint16_t)(TWF_IN_GRIPPER_UP + shuttle);
}

static inline uint8_t twf_out_picker(uint8_t shuttle) {
#if TWF_SEVERAL
    if (shuttle >= TWF_SEATS)
        return (uint8_t)(TWF_OUT_SECOND_PICKER + shuttle - TWF_SEATS);
#endif
    return (uint8_t)(TWF_OUT_PICKER + shuttle);
}

#endif
