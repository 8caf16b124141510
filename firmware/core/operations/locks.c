#include "locks.h"

#include <string.h>

#include "../board/bits.h"
#include "../motion/cams.h"
#include "../sensors/gates.h"

/* Longer leases than this (24 days) are cut to it, so that times can be compared. */
#define MOST_LEASE_MS 0x7fffffffu
#define SLOWEST_MS 500
/* What an opening without current counts for: one may come from a coil that has just been switched off. */
#define UNASKED_MS 200
/* More than others a shutter may take to shut: it may rest on a hand, or on a tile on its way out. */
#define SHUTTER_MS 2500
/* A bolt is drawn for so long: the blind has moved on, and a bolt that stays is told. */
#define BOLT_MS 600u

static bool is_open(const struct twf_machine *machine, uint8_t gate) {
    return twf_bit(twf_gates_open(machine), gate);
}

/* The holes of a blind that the lift winds back lift its bolt. In bring-up the lift has wound it when it has left and come back. */
static bool is_wound(const struct twf_machine *machine, uint8_t gate) {
    const uint8_t lift_out = machine->kept.lift_out;
    const bool back = lift_out == 0 || (lift_out == TWF_LIFT_SEEN_AWAY && twf_input(&machine->inputs, TWF_IN_LIFT_DOWN));
    return machine->table.blinds && gate >= TWF_REAR_GATE && !back;
}

static void switch_coil(struct twf_machine *machine, uint8_t gate, bool on) {
    struct twf_locks *locks = &machine->locks;
    const uint8_t bit = twf_mask(gate);
    if (((locks->coils & bit) != 0) == on)
        return;
    locks->coils ^= bit;
    locks->moving_ms[gate] = machine->table.blinds && gate < TWF_REAR_GATE && !on ? -SHUTTER_MS : 0;
    twf_machine_output(machine, (uint8_t)(gate < TWF_REAR_GATE ? TWF_OUT_LOCK + gate : TWF_OUT_REAR_LOCK + (gate - TWF_REAR_GATE)), on);
}

/* The position of the first tile behind a gate, TWF_MOST_PLACES where there is none. */
static uint8_t first_behind(const struct twf_machine *machine, uint8_t gate) {
    const uint8_t *places = twf_input_places(&machine->inputs, TWF_IN_MAGAZINE, gate % TWF_REAR_GATE);
    uint8_t position = machine->table.hand_places;
    if (gate >= TWF_REAR_GATE)
        position = (uint8_t)(machine->table.wall_places > TWF_REAR_PLACES ? machine->table.wall_places - TWF_REAR_PLACES : 0);
    while (position < TWF_MOST_PLACES && !twf_bit_of(places, position))
        position++;
    return position;
}

/* By a person: until CLEAR neither bolt nor shutter begins to move. */
static bool is_stopped(const struct twf_machine *machine) {
    return (machine->faults & (TWF_FAULT_BIT(TWF_FAULT_ESTOP) | TWF_FAULT_BIT(TWF_FAULT_STOP))) != 0;
}

uint8_t twf_locks_refusal(const struct twf_machine *machine, uint8_t gate) {
    if (gate >= twf_table_locks(&machine->table))
        return TWF_NAK_NO_SUCH_PLACE;
    if (twf_input(&machine->inputs, TWF_IN_ESTOP) || (machine->table.blinds && is_stopped(machine)))
        return TWF_NAK_STOPPED;
    if (twf_events_concern_gate(&machine->events, gate))
        return TWF_NAK_UNACKNOWLEDGED;
    if (twf_cams_will_drop(machine, gate % TWF_REAR_GATE) || machine->locks.opening[gate] != NULL)
        return TWF_NAK_BUSY;
    return first_behind(machine, gate) < TWF_MOST_PLACES ? 0 : TWF_NAK_EMPTY;
}

bool twf_locks_renew(struct twf_machine *machine, uint8_t gate, uint32_t lease_ms) {
    struct twf_locks *locks = &machine->locks;
    if (gate >= TWF_GATES || (locks->leased & twf_mask(gate)) == 0)
        return false;
    locks->until_ms[gate] = machine->now_ms + (lease_ms < MOST_LEASE_MS ? lease_ms : MOST_LEASE_MS);
    return true;
}

/* A lock that is still on its way to shut gets its coil when it has arrived: it opens on a rising coil only. */
void twf_locks_open(struct twf_machine *machine, struct twf_job *job, uint8_t gate, uint32_t lease_ms) {
    struct twf_locks *locks = &machine->locks;
    locks->leased |= twf_mask(gate);
    locks->opening[gate] = job;
    job->started = true;
    twf_locks_renew(machine, gate, lease_ms);
    if (machine->table.blinds)
        locks->due |= twf_mask(gate);
    else if (!is_open(machine, gate))
        switch_coil(machine, gate, true);
}

static void give_up(struct twf_machine *machine, uint8_t gate) {
    struct twf_job *job = machine->locks.opening[gate];
    if (job == NULL)
        return;
    machine->locks.opening[gate] = NULL;
    job->aborted = true;
    twf_machine_end(machine, job);
}

static void close_one(struct twf_machine *machine, uint8_t gate) {
    machine->locks.leased &= (uint8_t)~twf_mask(gate);
    switch_coil(machine, gate, false);
    give_up(machine, gate);
}

void twf_locks_close(struct twf_machine *machine, uint8_t gate) {
    const bool stopped = !machine->adopted || twf_input(&machine->inputs, TWF_IN_ESTOP); /* bring-up and stop cut bolts as well */
    for (uint8_t each = 0; each < (stopped ? TWF_GATES : twf_table_locks(&machine->table)); each++)
        if (gate == each || gate == TWF_ALL_SEATS)
            close_one(machine, each);
}

/* A place too many leaves a gate without a free tile, one too few would free two. */
static void count_step(struct twf_machine *machine, uint8_t seat) {
    if (machine->kept.barred[seat] < UINT8_MAX)
        machine->kept.barred[seat]++;
}

void twf_locks_watch(struct twf_machine *machine) {
    struct twf_locks *locks = &machine->locks;
    const uint8_t drawn = twf_gates_open(machine) >> TWF_REAR_GATE;
    const uint8_t unasked = drawn & (uint8_t)~(locks->drawn | locks->coils >> TWF_REAR_GATE);
    locks->drawn = drawn;
    for (uint8_t seat = 0; seat < TWF_SEATS; seat++)
        if (twf_bit(unasked, seat) && !is_wound(machine, (uint8_t)(TWF_REAR_GATE + seat)))
            count_step(machine, seat);
}

/* With shutter and bolt shut, where a lease waits or has ended with a draw: let the blind move on to the first tile there is, a pulse of
 * the bolt for each place; then open the shutter, if a lease waits. */
static void move_blind(struct twf_machine *machine, uint8_t seat) {
    struct twf_locks *locks = &machine->locks;
    const uint8_t bolt = (uint8_t)(TWF_REAR_GATE + seat);
    const uint8_t first = first_behind(machine, seat);
    if (first < TWF_MOST_PLACES && first >= machine->kept.barred[seat]) {
        count_step(machine, seat);
        locks->leased |= twf_mask(bolt);
        locks->until_ms[bolt] = machine->now_ms + BOLT_MS;
        switch_coil(machine, bolt, true);
        return;
    }
    locks->due &= (uint8_t)~twf_mask(seat);
    if (locks->opening[seat] != NULL)
        switch_coil(machine, seat, true);
}

static void move_blinds(struct twf_machine *machine) {
    struct twf_locks *locks = &machine->locks;
    if (!machine->table.blinds)
        return;
    if (machine->cams.lift != NULL && machine->cams.lift->started) { /* it winds them back */
        memset(machine->kept.barred, machine->table.hand_places, sizeof machine->kept.barred);
        locks->due = 0x0fu;
    } else if (machine->allowed && twf_input(&machine->inputs, TWF_IN_LIFT_DOWN) && !is_stopped(machine)) {
        const uint8_t moving = locks->coils | twf_gates_open(machine);
        const uint8_t due = locks->due & (uint8_t)~(moving | moving >> TWF_REAR_GATE);
        for (uint8_t seat = 0; seat < TWF_SEATS; seat++)
            if (twf_bit(due, seat))
                move_blind(machine, seat);
    }
}

void twf_locks_scan(struct twf_machine *machine, uint8_t elapsed_ms) {
    struct twf_locks *locks = &machine->locks;
    move_blinds(machine);
    if ((locks->leased | locks->coils | twf_gates_open(machine)) == 0)
        return;
    for (uint8_t gate = 0; gate < TWF_GATES; gate++) {
        const bool leased = (locks->leased & twf_mask(gate)) != 0;
        if (leased && (int32_t)(machine->now_ms - locks->until_ms[gate]) >= 0)
            close_one(machine, gate);
        if (is_open(machine, gate) == ((locks->coils & twf_mask(gate)) != 0) || locks->moving_ms[gate] > SLOWEST_MS + UNASKED_MS ||
            is_wound(machine, gate))
            continue;
        locks->moving_ms[gate] = (int16_t)(locks->moving_ms[gate] + elapsed_ms);
        if (locks->moving_ms[gate] > SLOWEST_MS) {
            locks->moving_ms[gate] = SLOWEST_MS + UNASKED_MS + 1;
            twf_machine_fault(machine, TWF_FAULT_LOCK, (uint8_t)(TWF_WHERE_MAGAZINE + gate % TWF_REAR_GATE), 0);
        }
    }
}

void twf_locks_edge(struct twf_machine *machine, uint8_t gate, bool open) {
    struct twf_locks *locks = &machine->locks;
    struct twf_job *job = locks->opening[gate];
    if (is_wound(machine, gate))
        return;
    if (locks->moving_ms[gate] < 0)
        locks->moving_ms[gate] = 0; /* it has shut, and what opens it now is not its coil's doing */
    if (open) {
        const bool frees = machine->table.blinds && gate >= TWF_REAR_GATE && !is_stopped(machine);
        if ((locks->coils & twf_mask(gate)) == 0 && locks->moving_ms[gate] <= SLOWEST_MS)
            locks->moving_ms[gate] = (int16_t)(locks->moving_ms[gate] + (frees ? SLOWEST_MS : UNASKED_MS));
        if (job != NULL && (locks->coils & twf_mask(gate)) != 0) {
            locks->opening[gate] = NULL;
            twf_job_saw(job, TWF_SENSOR_LOCK_MOVED);
            twf_machine_end(machine, job);
        }
    } else if (job != NULL) {
        if (!machine->table.blinds)
            switch_coil(machine, gate, true);
    } else {
        close_one(machine, gate);
    }
}

static bool went_by(const struct twf_machine *machine, uint8_t gate) {
    return (machine->locks.coils & twf_mask(gate)) != 0;
}

uint8_t twf_locks_passed(struct twf_machine *machine, uint8_t seat, uint8_t position, bool back) {
    struct twf_locks *locks = &machine->locks;
    const uint8_t rear_gate = (uint8_t)(TWF_REAR_GATE + seat);
    const uint8_t first_rear = (uint8_t)(machine->table.wall_places - TWF_REAR_PLACES);
    const uint8_t beyond = (uint8_t)(position - first_rear);
    const bool at_rear = !machine->table.blinds && machine->table.wall_places >= TWF_REAR_PLACES && beyond < TWF_REAR_PLACES;
    const uint8_t place = at_rear ? twf_mask(beyond) : 0;
    if (back) {
        const bool by_rear = (locks->rear_lifted[seat] & place) != 0;
        locks->rear_lifted[seat] &= (uint8_t)~place;
        return by_rear ? rear_gate : seat;
    }
    const uint8_t gate = at_rear && went_by(machine, rear_gate) && !went_by(machine, seat) ? rear_gate : seat;
    if (gate == rear_gate)
        locks->rear_lifted[seat] |= place;
    else
        locks->rear_lifted[seat] &= (uint8_t)~place;
    locks->due |= (uint8_t)(locks->coils & twf_mask(gate));
    close_one(machine, gate);
    return gate;
}
