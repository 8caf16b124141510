/* The table at the other end of the wires: a board's outputs go to the process that moves the tiles, its inputs come from
 * there (PHYSICS.md). Steps are counted and end stops modelled here, because a step must not wait for another process.
 * Times are microseconds of the board's clock, which begins at CLOCK_MONOTONIC, never jumps, and falls behind it where the
 * machine is busy. The table's time is the board's: neither runs away from the other.
 *
 * Nothing here knows which signal is which: the board says which of its inputs are the end switches of the axes.
 */
#ifndef TWINWALL_PHYSICS_H
#define TWINWALL_PHYSICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../hal_memory/end_stop.h"

enum {
    PHYSICS_AXES = 4,
    PHYSICS_MOST_INPUTS = 1024,
    PHYSICS_MOST_OUTPUTS = 256,
    PHYSICS_MOST_CHANGES = 4096
};

/* One input on its way to a level. */
struct physics_change {
    int64_t at_us;
    uint32_t order;
    uint16_t bit;
    bool level;
};

struct physics {
    int fd;
    double speed;
    int32_t steps_per_position;
    int32_t most_steps;
    struct end_stop stop[PHYSICS_AXES]; /* and where the carriages stand */
    int16_t home_bit[PHYSICS_AXES];
    int16_t place_bit[PHYSICS_AXES];
    size_t input_bits;
    uint8_t input[PHYSICS_MOST_INPUTS / 8];
    uint8_t output[PHYSICS_MOST_OUTPUTS / 8];
    size_t output_bytes;
    bool moved;
    int64_t told_us;
    bool asked;         /* how far the physics has come, and it has not answered yet */
    bool disturbed;     /* something was told since that may change what comes next */
    int64_t asked_us;
    int64_t due_us;     /* when the physics moves something by itself */
    struct physics_change change[PHYSICS_MOST_CHANGES];
    size_t changes;
    uint32_t order;
    size_t pending;
    char buffer[16384];
};

/* CLOCK_MONOTONIC in microseconds. */
int64_t physics_clock_us(void);

/* Connect to the physics at `path` and read its first two lines. `home_bits` are the numbers of the end
 * switches' inputs, and of the place flags' behind them.
 * Returns false, with the reason on standard error, when there is no physics or it speaks another language. */
bool physics_connect(struct physics *physics, const char *path, const int16_t home_bits[2 * PHYSICS_AXES], size_t output_bits);

/* Read what the physics has sent, without waiting. Returns false when it has gone: the board has nothing to do any more. */
bool physics_receive(struct physics *physics);

/* The board's clock stands at `now_us`: let the physics come as far where something is due there. Returns false while the board
 * must not go on before the physics has answered; physics_wait sleeps until it has said something, 10 ms at most. */
bool physics_keep_step(struct physics *physics, int64_t now_us);
void physics_wait(const struct physics *physics);

/* Bring the inputs to what they are at `now_us`. Returns whether any has changed; read them with physics_input. */
bool physics_advance(struct physics *physics, int64_t now_us);

/* When the next input changes, INT64_MAX when none is due. */
int64_t physics_next_us(const struct physics *physics);

/* The level of an input. */
bool physics_input(const struct physics *physics, uint16_t bit);

/* One step of an axis, `outward` away from the end switch; a buffer stops it. `powered` false: the motor does not move. */
void physics_step(struct physics *physics, unsigned axis, bool outward, bool powered, int64_t now_us);

/* Bring the inputs of end switches and place flags to what they read now. */
void physics_look_at_end_stops(struct physics *physics, int64_t now_us);

/* Tell the physics the outputs, if they differ from what was told last, and where the carriages stand. */
void physics_outputs(struct physics *physics, const uint8_t *image, int64_t now_us);

/* Tell the physics how long the diverter's pulses are now. */
void physics_servo(struct physics *physics, uint32_t pulse_us, int64_t now_us);

/* Tell where the carriages stand when one has moved and 10 ms have passed since it was told last. */
void physics_tell_axes(struct physics *physics, int64_t now_us);

#endif
