#include "run.h"

#include "motion/cams.h"
#include "motion/exchangers.h"
#include "motion/homing.h"
#include "motion/lane.h"
#include "motion/motion.h"
#include "motion/shuttle.h"
#include "operations/bring_up.h"
#include "operations/locks.h"
#include "sensors/edges.h"

/* The contactor has opened, with no charge left behind it, within this. */
#define POWER_DOWN_MS 2000u
/* Lid and emergency stop, which cut the drivers' supply, are known before this. */
#define DRIVER_MS 20u
/* At rest for so long nothing needs current. */
#define IDLE_MS 10000u
#define MOVING_OUTPUTS (1u << TWF_OUT_DRUM % 8u | 1u << TWF_OUT_BELT % 8u)

/* The line of the drivers' faults lives on the motors' supply: it is low while a driver is hot, overloaded or stalled, and without supply. */
static void watch_drivers(struct twf_machine *machine, uint8_t elapsed_ms) {
    const bool low = twf_input(&machine->inputs, TWF_IN_DRIVER_FAULT);
    const bool wrong = machine->motors_on ? low && twf_machine_running(machine) : !low;
    if (!wrong || (machine->faults & TWF_FAULT_BIT(TWF_FAULT_DRIVER)) != 0) {
        machine->driver_ms = 0;
        return;
    }
    machine->driver_ms = (uint16_t)(machine->driver_ms + elapsed_ms);
    if (machine->driver_ms < (machine->motors_on ? DRIVER_MS : POWER_DOWN_MS))
        return;
    const uint8_t alone = twf_axes_alone(&machine->axes);
    const bool stalled = machine->motors_on && alone < TWF_SHUTTLES;
    twf_machine_stuck(machine, TWF_FAULT_DRIVER, (uint8_t)(stalled ? TWF_WHERE_SHUTTLE + alone : TWF_WHERE_TABLE), NULL);
}

static void watch_rest(struct twf_machine *machine, uint8_t elapsed_ms) {
    bool rests = !machine->homing.going && (machine->outputs[TWF_OUT_DRUM / 8u] & MOVING_OUTPUTS) == 0;
    for (uint8_t i = 0; rests && i < TWF_MOST_JOBS; i++)
        rests = machine->jobs.job[i].operation == 0 || twf_job_locks(&machine->jobs.job[i]);
    if (!rests)
        machine->idle_ms = 0;
    else if (machine->idle_ms < IDLE_MS)
        machine->idle_ms = (uint16_t)(machine->idle_ms + elapsed_ms);
}

/* A bit for each shuttle, given where the signals of the seats' first and of their second ones begin. */
static uint8_t of_shuttles(const struct twf_machine *machine, uint16_t first, uint16_t second) {
    const uint8_t *level = machine->inputs.level;
    const uint8_t firsts = (uint8_t)((unsigned)level[first / 8u] >> (first % 8u) & 0x0fu);
#if TWF_SEVERAL
    return (uint8_t)(firsts | ((unsigned)level[second / 8u] >> (second % 8u) & 0x0fu) << 4u);
#else
    (void)second;
    return firsts;
#endif
}

void twf_run_forget(struct twf_machine *machine, const struct twf_job *job) {
    for (uint8_t gate = 0; gate < TWF_GATES; gate++)
        if (machine->locks.opening[gate] == job)
            machine->locks.opening[gate] = NULL;
    twf_lane_forget(machine, job);
    twf_exchangers_forget(machine, job);
    for (uint8_t shuttle = 0; shuttle < TWF_SHUTTLES; shuttle++)
        twf_shuttle_forget(machine, shuttle, job);
    twf_cams_forget(machine, job);
}

void twf_run_scan(struct twf_machine *machine, uint8_t elapsed_ms) {
    machine->now_ms += elapsed_ms;
    twf_edges_read(machine);
    if (machine->adopted || machine->bring_up.on)
        twf_locks_watch(machine);
    twf_bring_up_scan(machine, elapsed_ms);
    if (!machine->adopted)
        return;
    if (machine->power_ms > 0)
        machine->power_ms = (uint16_t)(machine->power_ms > elapsed_ms ? machine->power_ms - elapsed_ms : 0);
    twf_axes_power(&machine->axes, twf_machine_running(machine) && twf_homing_way_is_free(machine));
    watch_drivers(machine, elapsed_ms);
    watch_rest(machine, elapsed_ms);
    if ((int32_t)(machine->now_ms - machine->well_at_ms) >= 0)
        twf_edges_tell_well(machine);
    twf_axes_ramp(&machine->axes, of_shuttles(machine, twf_in_home(0), twf_in_home(TWF_SEATS)),
                  of_shuttles(machine, twf_in_gripper_up(0), twf_in_gripper_up(TWF_SEATS)));
    twf_lane_scan(machine, elapsed_ms);
    twf_exchangers_scan(machine, elapsed_ms);
    twf_shuttle_scan(machine, elapsed_ms);
    twf_cams_scan(machine, elapsed_ms);
    twf_homing_scan(machine, elapsed_ms);
    twf_locks_scan(machine, elapsed_ms);
}

void twf_run_settle(struct twf_machine *machine) {
    if (machine->bring_up.on)
        return;
    if (machine->events.lost)
        machine->faults |= TWF_FAULT_BIT(TWF_FAULT_INTERNAL);
    const bool needed = machine->homing.going || (machine->powered && machine->idle_ms < IDLE_MS);
    twf_machine_power(machine, machine->adopted && !twf_machine_stopped(machine) && needed);
    twf_motion_begin(machine);
}
