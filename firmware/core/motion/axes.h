/* The shuttles' steppers: positions in steps from the return lane, trapezoidal speed in whole numbers.
 *
 * The tick makes pulses at the present rate and may interrupt anything; the millisecond sets rates. A carriage that was
 * moving when power was lost, or had only just stopped, has lost its place and finds the end switch there before it goes on:
 * fast until it closes, out until it opens, and in again so slowly that whatever its contact and two readings of it cost is less
 * than a step. That step is 0.
 */
#ifndef TWF_AXES_H
#define TWF_AXES_H

#include <stdbool.h>
#include <stdint.h>

#include "../board/board.h"
#include "../board/table.h"

/* Lid and emergency stop cut the motors at once, and are known two readings later, one more where their contact bounces: a
 * carriage stands where its steps say only when it has rested for longer than that with power on. */
#define TWF_REST_MS 4u

enum twf_finding {
    TWF_FINDING_NOTHING,
    TWF_FINDING_FAST,
    TWF_FINDING_BACK,
    TWF_FINDING_SLOWLY,
    TWF_FINDING_STAYS_OPEN, /* given up: the switch has not closed, */
    TWF_FINDING_STAYS_SHUT, /* or has not opened; */
    TWF_FINDING_UNDER_GRIPPER /* or stopped under a gripper that has come down */
};

struct twf_axis {
    /* Shared with the tick. */
    volatile uint16_t left; /* steps still to make */
    volatile uint16_t rate; /* 65536ths of a step per tick */
    volatile uint16_t phase;
    volatile int16_t position;
    volatile int8_t direction; /* 1 away from the end switch, -1 towards it */
    /* Not shared. */
    uint16_t target;
    bool known;   /* the position is true */
    bool sent;    /* and has not set out yet */
    uint8_t finding; /* the end switch */
    uint8_t rested; /* milliseconds since the last step, as many as anybody asks for */
    uint16_t waits_ms; /* until its gripper is up again, whatever the barrier says */
};

struct twf_axes {
    struct twf_axis axis[TWF_SHUTTLES];
    uint16_t fastest[TWF_FINDING_STAYS_OPEN]; /* rate, by what is being found */
    uint16_t ramp_rate;
    uint8_t steps_per_position;
    uint8_t shuttles; /* as many as the table has */
    uint32_t brake;     /* what a step to brake in costs, in squares of a sixteenth of the rate */
    uint16_t no_brake;  /* with more steps than this left nobody needs to brake */
    uint16_t most_steps; /* a way longer than any tray: homing ends at the end switch */
    bool powered;
};

/* Directions and step pulses of one tick, a bit per axis. */
struct twf_pulses {
    uint8_t step;
    uint8_t outward;
};

/* Every carriage stands somewhere. */
void twf_axes_init(struct twf_axes *axes, const struct twf_table *table);

/* The pulses of one tick of TWF_TICK_US. */
struct twf_pulses twf_axes_tick(struct twf_axes *axes);

/* Whether there are steps to make. Part of the tick: nothing may interrupt it. */
bool twf_axes_move(const struct twf_axes *axes);

/* Set rates; once a millisecond. `home` has a bit for each end switch that is closed, `up` for each gripper that is up: under one that
 * is not, a carriage that was sent waits, and one that moves stops at once and has lost its place. */
void twf_axes_ramp(struct twf_axes *axes, uint8_t home, uint8_t up);

/* Send a carriage to a step; one that has lost its place finds step 0 first. */
void twf_axes_go(struct twf_axes *axes, uint8_t seat, uint16_t target);

/* A carriage may have lost its place: it finds the end switch before it goes where it was sent. */
void twf_axes_find(struct twf_axes *axes, uint8_t seat);

/* The fault of a carriage that has given up to find its end switch, or was stopped by its gripper; TWF_FAULT_NONE if there is none. */
uint8_t twf_axes_fault(const struct twf_axes *axes, uint8_t seat);

/* Whether it rests there for so long that its sensors have settled; the carriage that moves alone, TWF_SHUTTLES where none or several do. */
bool twf_axes_settled(const struct twf_axes *axes, uint8_t seat);
uint8_t twf_axes_alone(const struct twf_axes *axes);

/* Whether a carriage that knows its place is half-way between two of them. */
bool twf_axes_between(const struct twf_axes *axes, uint8_t seat);

/* Whether a carriage stands where it was sent, and has rested there. */
bool twf_axes_there(const struct twf_axes *axes, uint8_t seat);

/* Motors have current or not: without it everything stands, and what was moving has lost its place. */
void twf_axes_power(struct twf_axes *axes, bool on);

#endif
