#include "axes.h"

#include <string.h>

#include "../board/bits.h"
#include "../board/hal.h"

#define TICKS_PER_RAMP (TWF_SCAN_US / TWF_TICK_US)

/* A rate r (65536ths of a step per tick) that falls by d every ramp stops within r² / (2 · 65536 · d / ticks) steps. Both sides
 * are kept in sixteenths of a rate, so that squares fit 32 bits. */
static void set_brake(struct twf_axes *axes) {
    axes->brake = (uint32_t)axes->ramp_rate * (2u * 65536u / TICKS_PER_RAMP) / 256u;
    const uint32_t fastest = axes->cruise_rate / 16u;
    const uint32_t most = fastest * fastest / axes->brake;
    axes->no_brake = (uint16_t)(most < 65535u ? most : 65535u);
}

void twf_axes_init(struct twf_axes *axes, const struct twf_table *table) {
    memset(axes, 0, sizeof *axes);
    axes->cruise_rate = table->cruise_rate;
    axes->ramp_rate = table->ramp_rate;
    axes->most_steps = (uint16_t)((TWF_MOST_PLACES + 2u) * table->steps_per_position);
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

static void set_off(const struct twf_axes *axes, struct twf_axis *axis) {
    hal_steps_lock();
    const int16_t way = (int16_t)((int16_t)axis->target - axis->position);
    axis->direction = !axis->known || way < 0 ? -1 : 1;
    axis->left = axis->known ? (uint16_t)(way < 0 ? -way : way) : axes->most_steps;
    axis->rate = axes->ramp_rate;
    axis->phase = 0;
    hal_steps_unlock();
    axis->finding = !axis->known;
    if (axis->left != 0)
        axis->rested = 0;
}

static uint16_t next_rate(const struct twf_axes *axes, uint16_t rate, uint16_t left) {
    const uint32_t part = rate / 16u;
    if (left <= axes->no_brake && part * part >= left * axes->brake)
        return rate > 2u * (uint32_t)axes->ramp_rate ? (uint16_t)(rate - axes->ramp_rate) : axes->ramp_rate;
    const uint32_t faster = (uint32_t)rate + axes->ramp_rate;
    return (uint16_t)(faster < axes->cruise_rate ? faster : axes->cruise_rate);
}

static void ramp(struct twf_axes *axes, struct twf_axis *axis, bool home) {
    if (axis->finding && home) {
        halt(axis);
        axis->position = 0;
        axis->known = true;
        axis->finding = false;
        if (axis->target != 0)
            set_off(axes, axis);
        return;
    }
    if (axis->left == 0) { /* torn by a tick it may look like 0 once: its rate is set a millisecond later then */
        if (axis->rested < TWF_REST_MS)
            axis->rested++;
        return;
    }
    axis->rested = 0;
    hal_steps_lock();
    const uint16_t left = axis->left;
    hal_steps_unlock();
    const uint16_t rate = next_rate(axes, axis->rate, left);
    hal_steps_lock();
    axis->rate = rate;
    hal_steps_unlock();
}

void twf_axes_ramp(struct twf_axes *axes, uint8_t home) {
    if (!axes->powered)
        return;
    for (uint8_t seat = 0; seat < TWF_SHUTTLES; seat++)
        ramp(axes, &axes->axis[seat], twf_bit(home, seat));
}

void twf_axes_go(struct twf_axes *axes, uint8_t seat, uint16_t target) {
    struct twf_axis *axis = &axes->axis[seat];
    const bool same = axis->target == target;
    axis->target = target;
    if (axes->powered && !axis->finding && !(same && axis->known))
        set_off(axes, axis);
}

void twf_axes_find(struct twf_axes *axes, uint8_t seat) {
    struct twf_axis *axis = &axes->axis[seat];
    halt(axis);
    axis->known = false;
    if (axes->powered)
        set_off(axes, axis);
}

bool twf_axes_move(const struct twf_axes *axes) {
    for (uint8_t seat = 0; seat < TWF_SHUTTLES; seat++)
        if (axes->axis[seat].left != 0)
            return true;
    return false;
}

bool twf_axes_there(const struct twf_axes *axes, uint8_t seat) {
    const struct twf_axis *axis = &axes->axis[seat];
    hal_steps_lock();
    const bool there = axis->left == 0 && axis->position == (int16_t)axis->target;
    hal_steps_unlock();
    return there && axis->known && axis->rested == TWF_REST_MS;
}

void twf_axes_power(struct twf_axes *axes, bool on) {
    if (on == axes->powered)
        return;
    axes->powered = on;
    for (uint8_t seat = 0; seat < TWF_SHUTTLES; seat++) {
        struct twf_axis *axis = &axes->axis[seat];
        const bool standing = twf_axes_there(axes, seat);
        if (!on) {
            axis->known = standing;
            halt(axis);
        } else if (!standing) {
            set_off(axes, axis);
        }
    }
}
