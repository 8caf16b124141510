/* The shuttles' steppers: positions in steps from the mouth, trapezoidal speed in whole numbers.
 *
 * The tick makes pulses at the present rate and may interrupt anything; the millisecond sets rates. A carriage that was
 * moving when power was lost, or had only just stopped, has lost its place and finds the mouth's end stop before it goes on.
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

struct twf_axis {
    /* Shared with the tick. */
    volatile uint16_t left; /* steps still to make */
    volatile uint16_t rate; /* 65536ths of a step per tick */
    volatile uint16_t phase;
    volatile int16_t position;
    volatile int8_t direction; /* 1 away from the mouth, -1 towards it */
    /* Not shared. */
    uint16_t target;
    bool known;   /* the position is true */
    bool finding; /* on the way to the end stop */
    uint8_t rested; /* milliseconds since the last step, TWF_REST_MS at most */
};

struct twf_axes {
    struct twf_axis axis[TWF_SHUTTLES];
    uint16_t cruise_rate;
    uint16_t ramp_rate;
    uint32_t brake;     /* what a step to brake in costs, in squares of a sixteenth of the rate */
    uint16_t no_brake;  /* with more steps than this left nobody needs to brake */
    uint16_t most_steps; /* a way longer than any tray: homing ends at the end stop */
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

/* Set rates; once a millisecond. `home` has a bit for each end stop that is reached. */
void twf_axes_ramp(struct twf_axes *axes, uint8_t home);

/* Send a carriage to a step; one that has lost its place finds the mouth first. */
void twf_axes_go(struct twf_axes *axes, uint8_t seat, uint16_t target);

/* A carriage may have lost its place: it finds the end stop before it goes where it was sent. */
void twf_axes_find(struct twf_axes *axes, uint8_t seat);

/* Whether a carriage stands where it was sent, and has rested there. */
bool twf_axes_there(const struct twf_axes *axes, uint8_t seat);

/* Motors have current or not: without it everything stands, and what was moving has lost its place. */
void twf_axes_power(struct twf_axes *axes, bool on);

#endif
