#include "operations.h"

#include "../motion/cams.h"
#include "../motion/homing.h"
#include "../motion/motion.h"
#include "bring_up.h"
#include "locks.h"

static struct twf_answer nak(uint8_t code) {
    const struct twf_answer answer = {.type = TWF_TYPE_NAK, .code = code, .sensors = 0, .ms = 0};
    return answer;
}

/* DONE at once, or NAK where there is a code of refusal. */
static struct twf_answer at_once(uint8_t refusal) {
    const struct twf_answer done = {.type = TWF_TYPE_DONE, .code = TWF_RESULT_OK, .sensors = 0, .ms = 0};
    return refusal != 0 ? nak(refusal) : done;
}

static struct twf_answer taken_on(void) {
    const struct twf_answer answer = {.type = TWF_TYPE_ACK, .code = 0, .sensors = 0, .ms = 0};
    return answer;
}

static uint8_t feed(struct twf_machine *machine) {
    if (twf_machine_stopped(machine))
        return TWF_NAK_STOPPED;
    if (twf_cams_well_open(machine))
        return TWF_NAK_WELL_OPEN;
    machine->feeding = true;
    return 0;
}

static struct twf_answer unlock(struct twf_machine *machine, uint32_t operation, const struct twf_command *command) {
    const uint8_t gate = command->argument[0];
    const uint32_t lease_ms = twf_get_u32(command->argument + 1);
    const uint8_t refusal = twf_locks_refusal(machine, gate);
    if (refusal != 0 || twf_locks_renew(machine, gate, lease_ms))
        return at_once(refusal);
    struct twf_job *job = twf_jobs_add(&machine->jobs, operation, command, machine->now_ms);
    if (job == NULL)
        return nak(TWF_NAK_BUSY);
    twf_locks_open(machine, job, gate, lease_ms);
    return taken_on();
}

static uint8_t lock(struct twf_machine *machine, uint8_t gate) {
    if (gate >= twf_table_locks(&machine->table) && gate != TWF_ALL_SEATS)
        return TWF_NAK_NO_SUCH_PLACE;
    twf_locks_close(machine, gate);
    return 0;
}

static uint8_t clear(struct twf_machine *machine, uint8_t fault) {
    if ((fault == TWF_FAULT_ESTOP && twf_input(&machine->inputs, TWF_IN_ESTOP)) ||
        (fault == TWF_FAULT_LID && twf_input(&machine->inputs, TWF_IN_LID_OPEN)))
        return TWF_NAK_STILL_THERE;
    if ((machine->faults & TWF_STOPPING_FAULTS & (uint16_t)~TWF_FAULT_BIT(TWF_FAULT_STOP) & TWF_FAULT_BIT(fault)) != 0)
        twf_homing_set_out(machine); /* hands have been in the machine, and may have pushed carriages and tiles */
    machine->faults &= (uint16_t)~TWF_FAULT_BIT(fault);
    if (fault == TWF_FAULT_SENSORS_DISAGREE) {
        machine->disagreeing = 0;
    } else if (fault == TWF_FAULT_STOP) {
        machine->bring_up.unfinished = false;
    } else if (fault == TWF_FAULT_INTERNAL) {
        machine->events.lost = false;
    }
    return 0;
}

static struct twf_answer drive(struct twf_machine *machine, uint32_t operation, const struct twf_command *command) {
    const uint8_t refusal = twf_bring_up_refusal(machine, command);
    if (refusal == 0)
        twf_bring_up_drive(machine, twf_jobs_add(&machine->jobs, operation, command, machine->now_ms)); /* all others have ended */
    return refusal == 0 ? taken_on() : nak(refusal);
}

static struct twf_answer move(struct twf_machine *machine, uint32_t operation, const struct twf_command *command) {
    const uint8_t refusal = twf_machine_stopped(machine) ? (uint8_t)TWF_NAK_STOPPED : twf_motion_refusal(machine, command);
    if (refusal != 0)
        return nak(refusal);
    struct twf_job *job = twf_jobs_add(&machine->jobs, operation, command, machine->now_ms);
    if (job == NULL)
        return nak(TWF_NAK_BUSY);
    twf_motion_enqueue(machine, job);
    if (command->type == TWF_TYPE_OPEN_WELL) {
        machine->feeding = false;
        machine->well = 0;
    } else if (command->type == TWF_TYPE_DUMP && command->argument[0] == TWF_CONTAINER_MAGAZINE) {
        const uint8_t seat = command->argument[1];
        twf_locks_close(machine, seat);
        if (seat != TWF_ALL_SEATS)
            twf_locks_close(machine, (uint8_t)(TWF_REAR_GATE + seat));
    }
    return taken_on();
}

struct twf_answer twf_operations_perform(struct twf_machine *machine, uint32_t operation, const struct twf_command *command) {
    const bool drives = command->type == TWF_TYPE_DRIVE;
    if (machine->bring_up.on && !drives && command->type != TWF_TYPE_STOP && command->type != TWF_TYPE_BRING_UP)
        return nak(TWF_NAK_WRONG_MODE);
    switch (command->type) {
    case TWF_TYPE_BRING_UP:
        return at_once(twf_bring_up_begin(machine));
    case TWF_TYPE_DRIVE:
        return drive(machine, operation, command);
    case TWF_TYPE_FEED:
        return at_once(feed(machine));
    case TWF_TYPE_HOLD:
        machine->feeding = false;
        return at_once(0);
    case TWF_TYPE_UNLOCK:
        return unlock(machine, operation, command);
    case TWF_TYPE_RENEW:
        if (machine->table.blinds && command->argument[0] >= TWF_REAR_GATE)
            return nak(TWF_NAK_NO_SUCH_PLACE);
        return at_once(twf_locks_renew(machine, command->argument[0], twf_get_u32(command->argument + 1)) ? 0 : TWF_NAK_NOT_OPEN);
    case TWF_TYPE_LOCK:
        return at_once(lock(machine, command->argument[0]));
    case TWF_TYPE_SENSE: /* every change is compared when it comes: what there was to tell has been told */
        return at_once(0);
    case TWF_TYPE_CLEAR:
        return at_once(clear(machine, command->argument[0]));
    case TWF_TYPE_STOP:
        machine->faults |= TWF_FAULT_BIT(TWF_FAULT_STOP);
        twf_machine_disturb(machine);
        twf_bring_up_end(machine);
        return at_once(0);
    default:
        return move(machine, operation, command);
    }
}
