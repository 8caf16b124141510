/* The end stop of a carriage on every simulated board: a buffer, and before it a switch that bounces (emulation/PHYSICS.md).
 *
 * The switch closes at step 0 on the way in and opens a little further out on the way back; its contact follows late and
 * bounces. What it shows depends on the time of the look alone, so that a look ahead finds the same.
 */
#ifndef TWINWALL_END_STOP_H
#define TWINWALL_END_STOP_H

#include <stdbool.h>
#include <stdint.h>

/* At 32 steps per position of 28.8 mm: 18 mm behind the switch, 0.9 mm of hysteresis. */
#define END_STOP_TRAVEL 20
#define END_STOP_HYSTERESIS 1
#define END_STOP_PER_POSITION 32
/* The contact follows within this, and bounces for 1 to 5 ms. */
#define END_STOP_LATE_US 1000u
#define END_STOP_LEAST_BOUNCE_US 1000u
#define END_STOP_MORE_BOUNCE_US 4000u
#define END_STOP_BETWEEN_US 250u

struct end_stop {
    int32_t position;
    bool closed;       /* as the carriage pushes it */
    bool unplugged;    /* it reads as open */
    bool flagless;     /* the plug of the place flag is pulled: it is never at a place */
    uint32_t row;      /* of random numbers */
    uint64_t bounces_us;
    uint64_t settled_us;
};

static inline int32_t end_stop_scaled(int32_t steps, int32_t steps_per_position) {
    return steps * steps_per_position / END_STOP_PER_POSITION;
}

static inline struct end_stop end_stop_at(int32_t position, uint32_t row) {
    const struct end_stop stop = {position, position <= 0, false, false, row * 2654435761u + 1u, 0, 0};
    return stop;
}

/* The carriage makes a step, as far as the buffer or `most_steps`; whether it has moved. */
static inline bool end_stop_step(struct end_stop *stop, bool outward, int32_t most_steps, int32_t steps_per_position, uint64_t now_us) {
    const int32_t to = stop->position + (outward ? 1 : -1);
    const int32_t travel = end_stop_scaled(END_STOP_TRAVEL, steps_per_position);
    if (to < (travel > 0 ? -travel : -1) || to > most_steps)
        return false;
    stop->position = to;
    const bool closed = stop->closed ? to <= end_stop_scaled(END_STOP_HYSTERESIS, steps_per_position) : to <= 0;
    if (closed != stop->closed) {
        stop->row = stop->row * 1664525u + 1013904223u;
        stop->bounces_us = now_us + (stop->row >> 8) % END_STOP_LATE_US;
        stop->settled_us = stop->bounces_us + END_STOP_LEAST_BOUNCE_US + (stop->row >> 16) % END_STOP_MORE_BOUNCE_US;
        stop->closed = closed;
    }
    return true;
}

/* What AT_PLACE_n reads now: the slots of the places are wide enough for a step to either side at 32 a position. */
static inline bool end_stop_at_place(const struct end_stop *stop, int32_t steps_per_position) {
    const int32_t off = (stop->position % steps_per_position + steps_per_position) % steps_per_position;
    const int32_t wide = end_stop_scaled(1, steps_per_position);
    return !stop->flagless && (off <= wide || steps_per_position - off <= wide);
}

/* What HOME_n reads now. */
static inline bool end_stop_reads(const struct end_stop *stop, uint64_t now_us) {
    if (stop->unplugged)
        return false;
    if (now_us >= stop->settled_us)
        return stop->closed;
    if (now_us < stop->bounces_us)
        return !stop->closed;
    return (stop->row >> ((now_us - stop->bounces_us) / END_STOP_BETWEEN_US % 31u) & 1u) != 0;
}

#endif
