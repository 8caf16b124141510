#include "axes.h"

#include <string.h>

#include "../board/bits.h"
#include "../board/hal.h"
#include "../link/twf_layout.h"

#define TICKS_PER_RAMP (TWF_SCAN_US / TWF_TICK_US)
/* Towards the end switch at a third of the speed, from which a carriage stops within 12 steps of the 18 mm behind it; away from it
 * at a quarter of that; and in again at 40 steps a second: a contact that bounces for 5 ms is known within 14. */
#define FAST_PART 3u
#define BACK_PART 4u
#define SLOW_RATE (40u * 65536u / (1000000u / TWF_TICK_US))
/* Behind the switch and out of its hysteresis a carriage is within less than a position. */
#define MORE_STEPS 8u
/* Half-way between two places a carriage of a real table's speed is for so many steps, and reads as that for at most six more; one that
 * goes from place to place in fewer than four times as many is never. */
#define BETWEEN_STEPS 4u
/* A switch that has not been seen to change when its carriage has rested for this will not. */
#define SURE_MS 20u

/* A rate r (65536ths of a step per tick) that falls by d every ramp stops within r² / (2 · 65536 · d / ticks) steps. Both sides
 * are kept in sixteenths of a rate, so that squares fit 32 bits. */
static void set_brake(struct twf_axes *axes) {
    axes->brake = (uint32_t)axes->ramp_rate * (2u * 65536u / TICKS_PER_RAMP) / 256u;
    const uint32_t fastest = axes->fastest[TWF_FINDING_NOTHING] / 16u;
    const uint32_t most = fastest * fastest / axes->brake;
    axes->no_brake = (uint16_t)(most < 65535u ? most : 65535u);
}

void twf_axes_init(struct twf_axes *axes, const struct twf_table *table) {
    memset(axes, 0, sizeof *axes);
    const uint16_t fast = (uint16_t)(table->cruise_rate / FAST_PART + 1u);
    const uint16_t back = (uint16_t)(fast / BACK_PART + 1u);
    axes->fastest[TWF_FINDING_NOTHING] = table->cruise_rate;
    axes->fastest[TWF_FINDING_FAST] = fast;
    axes->fastest[TWF_FINDING_BACK] = back;
    axes->fastest[TWF_FINDING_SLOWLY] = back < SLOW_RATE ? back : (uint16_t)SLOW_RATE;
    axes->shuttles = table->lanes ? 0 : twf_table_shuttles(table);
    axes->steps_per_position = table->steps_per_position;
    axes->ramp_rate = table->ramp_rate;
    axes->most_steps = (uint16_t)((TWF_MOST_PLACES + 3u) * table->steps_per_position);
    set_brake(axes);
}

struct twf_pulses twf_axes_tick(struct twf_axes *axes) {
    struct twf_pulses pulses = {0, 0};
    for (uint8_t seat = 0; seat < TWF_SHUTTLES; seat++) {
        struct twf_axis *axis = &axes->axis[seat];
        const uint8_t bit = twf_mask(seat);
        if (axis->direction > 0)
            pulses.outward |= bit;
        if (axis->left == 0)
            continue;
        const uint16_t phase = (uint16_t)(axis->phase + axis->rate);
        if (phase < axis->rate) {
            pulses.step |= bit;
            axis->left--;
            axis->position = (int16_t)(axis->position + axis->direction);
        }
        axis->phase = phase;
    }
    return pulses;
}

static void halt(struct twf_axis *axis) {
    hal_steps_lock();
    axis->left = 0;
    axis->rate = 0;
    hal_steps_unlock();
}

/* The tick takes steps off: a number of two bytes is read with it locked out. */
static uint16_t left_of(const struct twf_axis *axis) {
    hal_steps_lock();
    const uint16_t left = axis->left;
    hal_steps_unlock();
    return left;
}

static uint16_t least(uint16_t one, uint16_t other) {
    return one < other ? one : other;
}

static void run(const struct twf_axes *axes, struct twf_axis *axis, int8_t direction, uint16_t steps) {
    hal_steps_lock();
    axis->direction = direction;
    axis->left = steps;
    axis->rate = least(axes->ramp_rate, axes->fastest[axis->finding]);
    axis->phase = 0;
    hal_steps_unlock();
    if (steps != 0)
        axis->rested = 0;
}

static void find(const struct twf_axes *axes, struct twf_axis *axis, uint8_t finding) {
    const uint16_t near = (uint16_t)(axes->steps_per_position + MORE_STEPS);
    axis->finding = finding;
    run(axes, axis, finding == TWF_FINDING_BACK ? 1 : -1, finding == TWF_FINDING_FAST ? axes->most_steps : (uint16_t)(2u * near));
}

static void send(struct twf_axis *axis) {
    axis->sent = true;
    axis->finding = TWF_FINDING_NOTHING;
}

static void set_off(const struct twf_axes *axes, struct twf_axis *axis) {
    axis->sent = false;
    if (!axis->known) {
        find(axes, axis, TWF_FINDING_FAST);
        return;
    }
    hal_steps_lock();
    const int16_t way = (int16_t)((int16_t)axis->target - axis->position);
    hal_steps_unlock();
    axis->finding = TWF_FINDING_NOTHING;
    run(axes, axis, way < 0 ? -1 : 1, (uint16_t)(way < 0 ? -way : way));
}

static uint16_t next_rate(const struct twf_axes *axes, const struct twf_axis *axis, uint16_t left) {
    const uint16_t rate = axis->rate;
    const uint16_t fastest = axes->fastest[axis->finding];
    const uint32_t part = rate / 16u;
    if (left <= axes->no_brake && part * part >= left * axes->brake)
        return rate > 2u * (uint32_t)axes->ramp_rate ? (uint16_t)(rate - axes->ramp_rate) : least(axes->ramp_rate, fastest);
    const uint32_t faster = (uint32_t)rate + axes->ramp_rate;
    return (uint16_t)(faster < fastest ? faster : fastest);
}

/* Come to rest as soon as the ramp allows. */
static void slow_down(const struct twf_axes *axes, struct twf_axis *axis) {
    const uint32_t part = axis->rate / 16u;
    const uint16_t needed = (uint16_t)(part * part / axes->brake + 1u);
    hal_steps_lock();
    if (axis->left > needed)
        axis->left = needed;
    hal_steps_unlock();
}

/* The end switch has come to the level that the motion was made for: go on with the next one once the carriage rests. */
static void find_on(const struct twf_axes *axes, struct twf_axis *axis, bool home) {
    const bool reached = home == (axis->finding != TWF_FINDING_BACK);
    if (reached && axis->finding == TWF_FINDING_SLOWLY) {
        halt(axis);
        axis->position = 0;
        axis->known = true;
        set_off(axes, axis);
    } else if (reached) {
        slow_down(axes, axis);
        if (left_of(axis) == 0)
            find(axes, axis, (uint8_t)(axis->finding + 1u));
    } else if (axis->rested == SURE_MS) {
        axis->finding = axis->finding == TWF_FINDING_BACK ? TWF_FINDING_STAYS_SHUT : TWF_FINDING_STAYS_OPEN;
    }
}

static void ramp(struct twf_axes *axes, struct twf_axis *axis, bool home, bool up) {
    const bool finds = axis->finding != TWF_FINDING_NOTHING && axis->finding < TWF_FINDING_STAYS_OPEN;
    if (!up && (finds || left_of(axis) != 0)) {
        halt(axis);
        axis->known = axis->sent = false;
        axis->finding = TWF_FINDING_UNDER_GRIPPER;
    } else if (axis->waits_ms != 0) {
        axis->waits_ms--;
    } else if (axis->sent && up) {
        set_off(axes, axis);
    } else if (finds) {
        find_on(axes, axis, home);
    }
    const uint16_t left = left_of(axis);
    if (left == 0) {
        if (axis->rested < SURE_MS)
            axis->rested++;
        return;
    }
    axis->rested = 0;
    const uint16_t rate = next_rate(axes, axis, left);
    hal_steps_lock();
    axis->rate = rate;
    hal_steps_unlock();
}

void twf_axes_ramp(struct twf_axes *axes, uint8_t home, uint8_t up) {
    if (!axes->powered)
        return;
    for (uint8_t seat = 0; seat < axes->shuttles; seat++)
        ramp(axes, &axes->axis[seat], twf_bit(home, seat), twf_bit(up, seat));
}

void twf_axes_go(struct twf_axes *axes, uint8_t seat, uint16_t target) {
    struct twf_axis *axis = &axes->axis[seat];
    const bool same = axis->target == target;
    axis->target = target;
    if (axes->powered && axis->finding == TWF_FINDING_NOTHING && !(same && axis->known))
        send(axis);
}

void twf_axes_find(struct twf_axes *axes, uint8_t seat) {
    struct twf_axis *axis = &axes->axis[seat];
    halt(axis);
    axis->waits_ms = 0; /* its gripper has had time: before the current came, or on a way that is late */
    axis->known = false;
    send(axis);
}

uint8_t twf_axes_fault(const struct twf_axes *axes, uint8_t seat) {
    const uint8_t finding = axes->axis[seat].finding;
    if (finding < TWF_FINDING_STAYS_OPEN)
        return TWF_FAULT_NONE;
    if (finding == TWF_FINDING_UNDER_GRIPPER)
        return TWF_FAULT_SHUTTLE;
    return finding == TWF_FINDING_STAYS_OPEN ? TWF_FAULT_HOME_OPEN : TWF_FAULT_HOME_SHUT;
}

bool twf_axes_move(const struct twf_axes *axes) {
    for (uint8_t seat = 0; seat < TWF_SHUTTLES; seat++)
        if (axes->axis[seat].left != 0)
            return true;
    return false;
}

bool twf_axes_settled(const struct twf_axes *axes, uint8_t seat) {
    return axes->axis[seat].rested == SURE_MS;
}

uint8_t twf_axes_alone(const struct twf_axes *axes) {
    uint8_t alone = TWF_SHUTTLES;
    for (uint8_t seat = 0; seat < axes->shuttles; seat++) {
        if (axes->axis[seat].rested != 0)
            continue;
        if (alone != TWF_SHUTTLES)
            return TWF_SHUTTLES;
        alone = seat;
    }
    return alone;
}

bool twf_axes_between(const struct twf_axes *axes, uint8_t seat) {
    const struct twf_axis *axis = &axes->axis[seat];
    const uint8_t parts = axes->steps_per_position / BETWEEN_STEPS;
    return axis->known && parts >= 4u && left_of(axis) % axes->steps_per_position / BETWEEN_STEPS == parts / 2u;
}

bool twf_axes_there(const struct twf_axes *axes, uint8_t seat) {
    const struct twf_axis *axis = &axes->axis[seat];
    hal_steps_lock();
    const bool there = axis->left == 0 && axis->position == (int16_t)axis->target;
    hal_steps_unlock();
    return there && axis->known && axis->rested >= TWF_REST_MS;
}

void twf_axes_power(struct twf_axes *axes, bool on) {
    if (on == axes->powered)
        return;
    axes->powered = on;
    for (uint8_t seat = 0; seat < axes->shuttles; seat++) {
        struct twf_axis *axis = &axes->axis[seat];
        const bool standing = twf_axes_there(axes, seat);
        if (!on) {
            axis->known = standing;
            halt(axis);
        } else if (!standing) {
            send(axis);
        }
    }
}
