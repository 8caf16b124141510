/* The table at the other end of the wires: a board's outputs go to the process that moves the tiles, its inputs come from
 * there (PHYSICS.md). Steps are counted and end stops modelled here, because a step must not wait for another process.
 * Times are CLOCK_MONOTONIC in microseconds; for an emulated processor they are its own time, which may lag behind.
 *
 * Nothing here knows which signal is which: the board says which of its inputs are the end switches of the axes.
 */
#ifndef TWINWALL_TABLE_H
#define TWINWALL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TABLE_AXES = 4,
    TABLE_MOST_INPUTS = 1024,
    TABLE_MOST_OUTPUTS = 256,
    TABLE_MOST_CHANGES = 4096
};

/* One input on its way to a level. */
struct table_change {
    int64_t at_us;
    uint32_t order;
    uint16_t bit;
    bool level;
};

/* The distances of one input's changes are kept when they come late: when the last one was to be, and when it was. */
struct table_line {
    int64_t meant_us;
    int64_t took_us;
};

struct table {
    int fd;
    double speed;
    int32_t steps_per_position;
    int32_t most_steps;
    int32_t position[TABLE_AXES];
    int16_t home_bit[TABLE_AXES];
    size_t input_bits;
    uint8_t input[TABLE_MOST_INPUTS / 8];
    uint8_t output[TABLE_MOST_OUTPUTS / 8];
    size_t output_bytes;
    bool moved;
    int64_t told_us;
    struct table_line line[TABLE_MOST_INPUTS];
    struct table_change change[TABLE_MOST_CHANGES];
    size_t changes;
    uint32_t order;
    size_t pending;
    char buffer[16384];
};

/* CLOCK_MONOTONIC in microseconds. */
int64_t table_clock_us(void);

/* Connect to the physics at `path` and read its first two lines. `home_bits` are the numbers of the end switches' inputs.
 * Returns false, with the reason on standard error, when there is no physics or it speaks another language. */
bool table_connect(struct table *table, const char *path, const int16_t home_bits[TABLE_AXES], size_t output_bits);

/* Read what the physics has sent, without waiting. Returns false when it has gone: the board has nothing to do any more. */
bool table_receive(struct table *table, int64_t now_us);

/* Bring the inputs to what they are at `now_us`. Returns whether any has changed; read them with table_input. */
bool table_advance(struct table *table, int64_t now_us);

/* When the next input changes, INT64_MAX when none is due. */
int64_t table_next_us(const struct table *table);

/* The level of an input. */
bool table_input(const struct table *table, uint16_t bit);

/* One step of an axis, `outward` away from the mouth; an end stop stops it. `powered` false: the motor does not move. */
void table_step(struct table *table, unsigned axis, bool outward, bool powered);

/* Tell the physics the outputs, if they differ from what was told last, and where the carriages stand. */
void table_outputs(struct table *table, const uint8_t *image, int64_t now_us);

/* Tell the physics how long the diverter's pulses are now. */
void table_servo(struct table *table, uint32_t pulse_us, int64_t now_us);

/* Tell where the carriages stand when one has moved and 10 ms have passed since it was told last. */
void table_tell_axes(struct table *table, int64_t now_us);

#endif
