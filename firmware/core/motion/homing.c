#include "homing.h"

#include "cams.h"
#include "shuttle.h"
#include "way_back.h"

#define PULSE_MS 20u
/* At the end of the carriages' way, a gripper that opens and the purge, one after the other. */
#define HOME_MS (TWF_DROP_MS + TWF_PURGE_MS)
/* What is at home for so long has ended its turn. At a real table grippers take longer to open when the motors get current. */
#define REST_MS 100u

void twf_homing_begin(struct twf_machine *machine) {
    struct twf_homing *homing = &machine->homing;
    const struct twf_homing anew = {.going = !machine->table.lanes};
    *homing = anew;
    twf_machine_output(machine, TWF_OUT_PURGE, false);
    twf_shuttle_home(machine);
    twf_cams_rest(machine);
}

void twf_homing_set_out(struct twf_machine *machine) {
    for (uint8_t i = 0; i < TWF_MOST_JOBS; i++) {
        struct twf_job *job = &machine->jobs.job[i];
        if (job->operation == 0 || twf_job_locks(job))
            continue;
        job->disturbed = job->started;
        job->aborted = !job->started;
        twf_machine_end(machine, job);
    }
    machine->feeding = false;
    twf_homing_begin(machine);
}

/* A pulse that has begun runs out, whatever the switches say meanwhile. */
static void pulse(struct twf_machine *machine, uint8_t elapsed_ms) {
    struct twf_homing *homing = &machine->homing;
    homing->pulse_ms = (uint8_t)(homing->pulse_ms > elapsed_ms ? homing->pulse_ms - elapsed_ms : 0);
    twf_machine_output(machine, TWF_OUT_PURGE, homing->pulse_ms > 0);
}

/* The cam makes one turn by itself, as soon as there is current: its switch tells when. What has come before a gate meanwhile takes
 * another one. */
static void watch_purge(struct twf_machine *machine) {
    struct twf_homing *homing = &machine->homing;
    const bool at_rest = twf_input(&machine->inputs, TWF_IN_PURGE_SHUT);
    homing->turned = homing->turned || (homing->purging && !at_rest);
    homing->purged = homing->purged || (homing->turned && at_rest);
    if (homing->purged && twf_way_back_any_waits(machine))
        homing->purging = homing->turned = homing->purged = false;
}

/* The first shuttle that has not come home, as many as there are if there is none. */
static uint8_t missing(const struct twf_machine *machine) {
    uint8_t seat = 0;
    while (seat < twf_table_shuttles(&machine->table) && twf_shuttle_rests(machine, seat) && !twf_shuttle_holds(machine, seat))
        seat++;
    return seat;
}

static void watch(struct twf_machine *machine, uint8_t elapsed_ms) {
    struct twf_homing *homing = &machine->homing;
    homing->phase_ms = (uint16_t)(homing->phase_ms + elapsed_ms); /* it is late long before this wraps, or never */
    if (!twf_machine_way_late(machine, homing->phase_ms, HOME_MS))
        return;
    const uint8_t seat = missing(machine);
    if (seat < twf_table_shuttles(&machine->table))
        twf_machine_stuck(machine, TWF_FAULT_SHUTTLE, (uint8_t)(TWF_WHERE_SHUTTLE + seat), NULL);
    else
        twf_machine_stuck(machine, TWF_FAULT_JAM, twf_way_back_any_waits(machine) ? TWF_WHERE_GATE : TWF_WHERE_DRUM, NULL);
}

bool twf_homing_way_is_free(const struct twf_machine *machine) {
    return machine->homing.rest_ms >= REST_MS && (machine->kept.lift_out == 0 || twf_table_manual(&machine->table));
}

/* The lift, or else the first floor, that is on its turn; 0 if all are at home. */
static uint8_t turning(const struct twf_machine *machine) {
    const uint8_t shut = machine->inputs.level[TWF_IN_TRAY_FLOOR_SHUT / 8u];
    if (!twf_input(&machine->inputs, TWF_IN_LIFT_DOWN))
        return TWF_WHERE_TABLE;
    for (uint8_t seat = 0; seat < TWF_SEATS; seat++) {
        if (!twf_bit(shut, seat))
            return (uint8_t)(TWF_WHERE_TRAY + seat);
        if (!twf_bit(shut, (uint8_t)(TWF_SEATS + seat)))
            return (uint8_t)(TWF_WHERE_MAGAZINE + seat);
    }
    return 0;
}

static void watch_turns(struct twf_machine *machine, uint8_t elapsed_ms) {
    struct twf_homing *homing = &machine->homing;
    const uint8_t where = turning(machine);
    if (where != 0) {
        homing->turning = where;
        homing->rest_ms = 0;
    } else if (homing->rest_ms < REST_MS) {
        homing->rest_ms = (uint16_t)(homing->rest_ms + elapsed_ms);
    }
}

void twf_homing_scan(struct twf_machine *machine, uint8_t elapsed_ms) {
    struct twf_homing *homing = &machine->homing;
    if (!homing->going)
        return;
    watch_purge(machine);
    watch_turns(machine, elapsed_ms);
    if (!twf_machine_running(machine)) {
        homing->phase_ms = homing->turn_ms = 0; /* carriages begin anew */
        return;
    }
    pulse(machine, elapsed_ms);
    if (!twf_homing_way_is_free(machine)) {
        homing->turn_ms = (uint16_t)(homing->turn_ms + elapsed_ms);
        if (!twf_machine_late(machine, homing->turn_ms, TWF_RAISE_MS))
            return;
        if (homing->rest_ms < REST_MS)
            twf_machine_stuck(machine, TWF_FAULT_JAM, homing->turning, NULL);
        else
            machine->kept.lift_out = 0; /* it has had time for a whole turn */
        return;
    }
    if (twf_shuttle_let_go(machine) && !homing->purging) {
        homing->purging = true;
        homing->pulse_ms = PULSE_MS;
        twf_machine_output(machine, TWF_OUT_PURGE, true);
    }
    homing->going = !homing->purged || !twf_way_back_all_clear(machine) || missing(machine) < twf_table_shuttles(&machine->table);
    if (homing->going)
        watch(machine, elapsed_ms);
}
