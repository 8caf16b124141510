#include "bring_up.h"

#include <string.h>

#include "../board/hal.h"
#include "../motion/cams.h"
#include "../motion/homing.h"
#include "../sensors/gates.h"
#include "locks.h"

/* The contactor closes within this. */
#define POWER_MS 30u
#define MOST_MS 1000u
/* 64 steps a second, in 65536ths of a step per tick; a step takes 16 ms. */
#define MOST_STEPS 64u
#define STEP_RATE (MOST_STEPS * 65536u / (1000000u / TWF_TICK_US))
#define STEP_MS 16u
/* The servo gets there in a tenth of this. */
#define SERVO_MS 500u

static uint8_t output_of(const struct twf_command *command) {
    return command->argument[0];
}

static uint16_t amount_of(const struct twf_command *command) {
    return twf_get_u16(command->argument + 1);
}

uint8_t twf_bring_up_begin(struct twf_machine *machine) {
#if TWF_SEVERAL
    if (machine->table.gates > 1u || machine->table.shuttles > 1u || twf_table_manual(&machine->table))
        return TWF_NAK_UNKNOWN_COMMAND; /* no board drives it */
#endif
    if (machine->bring_up.on)
        return 0;
    if (!twf_machine_stopped(machine) && (machine->idle_ms == 0 || machine->feeding))
        return TWF_NAK_BUSY;
    machine->faults |= TWF_FAULT_BIT(TWF_FAULT_STOP);
    twf_machine_power(machine, false);
    twf_homing_set_out(machine);
    machine->adopted = false;
    twf_locks_close(machine, TWF_ALL_SEATS);
    memset(machine->outputs, 0, sizeof machine->outputs);
    machine->bring_up.on = machine->bring_up.unfinished = true;
    return 0;
}

static bool is_cut(const struct twf_machine *machine) {
    return twf_input(&machine->inputs, TWF_IN_ESTOP) || twf_input(&machine->inputs, TWF_IN_LID_OPEN);
}

static bool is_lock(uint8_t output) {
    return (output >= TWF_OUT_LOCK && output < TWF_OUT_TRAY_FLOOR) || (output >= TWF_OUT_REAR_LOCK && output < TWF_DRIVE_OUTWARD);
}

/* The lift, set off and not seen to leave, goes on with its turn with any current. */
static bool may_be_up(const struct twf_machine *machine) {
    return !twf_input(&machine->inputs, TWF_IN_LIFT_DOWN) || machine->kept.lift_out == TWF_LIFT_SET_OFF;
}

/* A carriage whose gripper is down must stand still, and so must all while the lift may be up, and all motors if a hand may be in a gate
 * then. The lift waits for that hand, and until all carriages are at their end switches: no other place of theirs is known. */
static bool is_in_the_way(const struct twf_machine *machine, uint8_t output) {
    const bool hand = twf_gates_admit_hands(machine) != 0;
    if (is_lock(output))
        return false;
    if (output == TWF_OUT_LIFT)
        return hand || (uint8_t)(machine->inputs.level[TWF_IN_HOME / 8u] | 0x0fu) != 0xffu;
    const bool steps = output >= TWF_DRIVE_OUTWARD && output < TWF_DRIVE_DIVERTER;
    return (may_be_up(machine) && (steps || hand)) ||
           (steps && !twf_input(&machine->inputs, twf_in_gripper_up((output - TWF_DRIVE_OUTWARD) % TWF_SEATS)));
}

/* Whether the well's door stands where an output would drive it. */
static bool is_at_end(const struct twf_machine *machine, uint8_t output) {
    const bool drives_door = output == TWF_OUT_DOOR_OPEN || output == TWF_OUT_DOOR_SHUT;
    return drives_door && twf_input(&machine->inputs, output == TWF_OUT_DOOR_OPEN ? TWF_IN_DOOR_IS_OPEN : TWF_IN_DOOR_IS_SHUT);
}

static uint16_t most_of(uint8_t output) {
    if (output < TWF_OUT_REAR_LOCK + TWF_SEATS)
        return MOST_MS;
    if (output >= TWF_DRIVE_OUTWARD && output < TWF_DRIVE_DIVERTER)
        return MOST_STEPS;
    return output == TWF_DRIVE_DIVERTER ? TWF_SERVO_FIRST_US + TWF_SERVO_RANGE_US : 0;
}

uint8_t twf_bring_up_refusal(const struct twf_machine *machine, const struct twf_command *command) {
    const uint8_t output = output_of(command);
    const uint16_t amount = amount_of(command);
    if (!machine->bring_up.on)
        return TWF_NAK_WRONG_MODE;
    if (amount == 0 || amount > most_of(output) || (output == TWF_DRIVE_DIVERTER && amount < TWF_SERVO_FIRST_US))
        return TWF_NAK_NO_SUCH_PLACE;
    if (is_cut(machine))
        return TWF_NAK_STOPPED;
    const bool meets_tiles = output == TWF_OUT_LIFT && !twf_cams_may_lift(machine);
    return meets_tiles || is_in_the_way(machine, output) || machine->bring_up.job != NULL ? TWF_NAK_BUSY : 0;
}

/* How long its output is on. */
static uint16_t driven_ms(const struct twf_command *command) {
    const uint8_t output = output_of(command);
    if (output < TWF_DRIVE_OUTWARD)
        return amount_of(command);
    return output == TWF_DRIVE_DIVERTER ? SERVO_MS : (uint16_t)(STEP_MS * amount_of(command));
}

void twf_bring_up_drive(struct twf_machine *machine, struct twf_job *job) {
    machine->bring_up.job = job;
    machine->bring_up.left_ms = POWER_MS;
}

static void step(struct twf_machine *machine, uint8_t output, uint16_t steps) {
    struct twf_axis *axis = &machine->axes.axis[(output - TWF_DRIVE_OUTWARD) % TWF_SEATS];
    hal_steps_lock();
    axis->direction = output < TWF_DRIVE_INWARD ? 1 : -1;
    axis->rate = STEP_RATE;
    axis->phase = 0;
    axis->left = steps;
    hal_steps_unlock();
}

/* Locks have current of their own; the servo too, but it must not turn while hands are in the machine. */
static void power(struct twf_machine *machine, uint8_t output) {
    if (!is_lock(output))
        twf_machine_output(machine, TWF_OUT_MOTOR_POWER, true);
}

static void begin(struct twf_machine *machine, struct twf_job *job) {
    const uint8_t output = output_of(&job->command);
    job->started = true;
    machine->bring_up.left_ms = driven_ms(&job->command);
    if (output == TWF_DRIVE_DIVERTER) {
        hal_servo(0, amount_of(&job->command));
    } else if (output >= TWF_DRIVE_OUTWARD) {
        step(machine, output, amount_of(&job->command));
    } else {
        if (output == TWF_OUT_LIFT)
            machine->kept.lift_out = TWF_LIFT_SET_OFF;
        twf_machine_output(machine, output, true);
    }
}

static void finish(struct twf_machine *machine, bool cut) {
    struct twf_job *job = machine->bring_up.job;
    memset(machine->outputs, 0, sizeof machine->outputs);
    machine->bring_up.job = NULL;
    if (job == NULL)
        return;
    if (output_of(&job->command) >= TWF_DRIVE_OUTWARD)
        step(machine, output_of(&job->command), 0);
    job->disturbed = cut;
    twf_machine_end(machine, job);
}

void twf_bring_up_scan(struct twf_machine *machine, uint8_t elapsed_ms) {
    struct twf_bring_up *bring_up = &machine->bring_up;
    struct twf_job *job = bring_up->job;
    if (!bring_up->on)
        return;
    if (machine->kept.lift_out == TWF_LIFT_SET_OFF && !twf_input(&machine->inputs, TWF_IN_LIFT_DOWN))
        machine->kept.lift_out = TWF_LIFT_SEEN_AWAY;
    if (!machine->powered) {
        twf_bring_up_end(machine);
    } else if (job != NULL) {
        const uint8_t output = output_of(&job->command);
        const bool cut = !machine->allowed || is_cut(machine) || is_in_the_way(machine, output);
        bring_up->left_ms = (uint16_t)(bring_up->left_ms > elapsed_ms ? bring_up->left_ms - elapsed_ms : 0);
        power(machine, output);
        if (cut || is_at_end(machine, output) || (bring_up->left_ms == 0 && job->started))
            finish(machine, cut);
        else if (bring_up->left_ms == 0)
            begin(machine, job);
    }
}

/* What the sensors say is taken as it is, as at a boot; what hands have waved past the barrier was no tile. */
void twf_bring_up_end(struct twf_machine *machine) {
    uint32_t longest_us = 0;
    if (!machine->bring_up.on)
        return;
    finish(machine, true);
    (void)hal_beam(0, &longest_us);
    twf_machine_forget_lanes(machine);
    machine->bring_up.on = false;
    machine->readings = 0;
}
