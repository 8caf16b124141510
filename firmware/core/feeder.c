#include "feeder.h"

#include <string.h>

#include "board/hal.h"
#include "link/reports.h"
#include "motion/motion.h"
#include "operations/operations.h"
#include "run.h"

#define MOST_LAG_MS 200u

/* Events ------------------------------------------------------------------------------------------------------------------- */

static bool is_due(const struct twf_feeder *feeder, uint32_t at_ms) {
    return (int32_t)(feeder->machine.now_ms - at_ms) >= 0;
}

static bool send_event(struct twf_feeder *feeder, uint8_t index) {
    uint8_t payload[TWF_MOST_EVENT_PAYLOAD];
    uint8_t size = 0;
    const uint8_t type = twf_events_write(&feeder->machine.events, index, twf_table_gates(&feeder->machine.table) > 1u, payload, &size);
    return twf_reports_send(feeder, type, payload, size, 0);
}

/* New ones as soon as there is room, all of them `ahead` of an operation's end, and every so often the oldest of those that are not
 * acknowledged again: of these all but the first wait until the line rests, so that an answer and a whole status find room. */
static void send_events(struct twf_feeder *feeder, bool ahead) {
    struct twf_events *events = &feeder->machine.events;
    const uint8_t kept = twf_events_kept(events);
    uint8_t sent = (uint8_t)(events->sent + 1u - events->oldest);
    if (!feeder->session || kept == 0) {
        feeder->repeating = false;
        feeder->repeat_left = 0;
        return;
    }
    if (feeder->repeating && is_due(feeder, feeder->repeat_ms)) {
        feeder->repeating = false;
        feeder->repeat_next = events->oldest;
        feeder->repeat_left = sent < TWF_EVENTS_AT_ONCE ? sent : (uint8_t)TWF_EVENTS_AT_ONCE;
    }
    if (!feeder->repeating) {
        feeder->repeating = true;
        feeder->repeat_ms = feeder->machine.now_ms + TWF_EVENT_REPEAT_MS;
    }
    while (sent < kept && send_event(feeder, sent)) {
        events->sent++;
        sent++;
        if (!ahead)
            return;
    }
    if (sent < kept || feeder->repeat_left == 0 || (feeder->repeat_next > events->oldest && !hal_uart_rests()))
        return;
    if (feeder->repeat_next >= events->oldest && !send_event(feeder, (uint8_t)(feeder->repeat_next - events->oldest)))
        return;
    feeder->repeat_next++;
    feeder->repeat_left--;
}

/* Session ------------------------------------------------------------------------------------------------------------------ */

static void settle(struct twf_feeder *feeder) {
    struct twf_machine *machine = &feeder->machine;
    if (machine->powered && twf_session_silent(feeder, TWF_REFERENCE_MOTORS_OFF_AFTER_MS)) {
        machine->powered = false;
        machine->feeding = false;
        feeder->session = false;
        twf_machine_disturb(machine);
    }
    machine->allowed = feeder->session && !twf_session_holding(feeder);
    twf_run_settle(machine);
    send_events(feeder, false);
}

/* While the machine is still homing the answer is a beat, and the host asks again. */
static void take_config(struct twf_feeder *feeder, const uint8_t *payload) {
    struct twf_machine *machine = &feeder->machine;
    struct twf_config_ack ack = {.accepted = memcmp(payload, machine->table.digest, sizeof machine->table.digest) == 0};
    uint8_t answer[TWF_SIZE_CONFIG_ACK];
    if (ack.accepted && machine->homing.going && !twf_machine_stopped(machine)) {
        twf_reports_beat(feeder);
        return;
    }
    if (ack.accepted) {
        feeder->session = true;
        machine->powered = true;
        feeder->heard_ms = machine->now_ms;
        feeder->repeating = true;
        feeder->repeat_ms = machine->now_ms;
    }
    memcpy(ack.digest, machine->table.digest, sizeof ack.digest);
    twf_write_config_ack(answer, &ack);
    twf_reports_send(feeder, TWF_TYPE_CONFIG_ACK, answer, TWF_SIZE_CONFIG_ACK, 0);
}

static void take_session_message(struct twf_feeder *feeder, const struct twf_frame *frame) {
    uint8_t caps[TWF_MOST_CAPS];
    uint8_t size = 0;
    switch (frame->type) {
    case TWF_TYPE_HELLO:
        feeder->session = false;
        twf_reports_hello_ack(feeder, twf_get_u32(frame->payload));
        break;
    case TWF_TYPE_GET_CAPS:
        size = twf_table_caps(&feeder->machine.table, caps);
        twf_reports_send(feeder, TWF_TYPE_CAPS, caps, size, 0);
        break;
    case TWF_TYPE_CONFIG:
        take_config(feeder, frame->payload);
        break;
    case TWF_TYPE_HEARTBEAT:
        feeder->heard_ms = feeder->machine.now_ms;
        twf_reports_beat(feeder);
        break;
    case TWF_TYPE_STATUS_REQUEST:
        twf_reports_status(feeder);
        break;
    case TWF_TYPE_PINS_REQUEST:
        twf_reports_send(feeder, TWF_TYPE_PINS, feeder->machine.inputs.last, TWF_SIZE_PINS, 0);
        break;
    default:
        twf_events_acknowledge(&feeder->machine.events, twf_get_u32(frame->payload));
        break;
    }
}

/* Operations --------------------------------------------------------------------------------------------------------------- */

static void finished(struct twf_machine *machine, const struct twf_job *job) {
    struct twf_feeder *feeder = (struct twf_feeder *)machine; /* its first member */
    twf_run_forget(machine, job);
    const struct twf_answer answer = twf_job_report(job, machine->now_ms);
    send_events(feeder, true); /* what led to this end goes first */
    twf_answers_store(&feeder->answers, job->operation, &job->command, &answer);
    twf_reports_answer(feeder, job->operation, job->command.type, &answer);
}

static void take_operation(struct twf_feeder *feeder, uint32_t operation, const struct twf_command *command) {
    struct twf_answer answer;
    if (!feeder->session) {
        twf_reports_nak(feeder, operation, TWF_NAK_NO_SESSION);
        return;
    }
    switch (twf_answers_recall(&feeder->answers, operation, command, &answer)) {
    case TWF_RECALL_STALE:
        twf_reports_nak(feeder, operation, TWF_NAK_STALE);
        return;
    case TWF_RECALL_MISMATCH:
        twf_reports_nak(feeder, operation, TWF_NAK_MISMATCH);
        return;
    case TWF_RECALL_NEW:
        answer = twf_operations_perform(&feeder->machine, operation, command);
        twf_answers_store(&feeder->answers, operation, command, &answer);
        break;
    default:
        break;
    }
    twf_reports_answer(feeder, operation, command->type, &answer);
}

static bool has_known_codes(const struct twf_frame *frame) {
    if (frame->type == TWF_TYPE_DUMP)
        return twf_is_container(frame->payload[0]);
    return frame->type != TWF_TYPE_CLEAR || twf_is_fault(frame->payload[0]);
}

static void take_frame(struct twf_feeder *feeder, const struct twf_frame *frame) {
    const uint8_t version = twf_table_version(&feeder->machine.table);
    const int size = version == TWF_VERSION ? twf_size_from_host(frame->type) : twf_size_from_host_of_gates(frame->type);
    const bool known = size == (int)frame->size && has_known_codes(frame);
    const bool is_operation = frame->type >= TWF_FIRST_COMMAND && frame->type <= TWF_LAST_COMMAND;
    if (frame->version != version && frame->type != TWF_TYPE_HELLO)
        return;
    if (is_operation && known) {
        struct twf_command command = {.type = frame->type, .argument = {0}};
        memcpy(command.argument, frame->payload, frame->size);
        take_operation(feeder, frame->operation, &command);
    } else if (is_operation) {
        twf_reports_nak(feeder, frame->operation, frame->type >= TWF_FIRST_SERVICE ? TWF_NAK_SERVICE_SWITCH : TWF_NAK_UNKNOWN_COMMAND);
    } else if (known) {
        take_session_message(feeder, frame);
    }
}

/* Bytes and time ----------------------------------------------------------------------------------------------------------- */

void twf_feeder_init(struct twf_feeder *feeder, const uint8_t record[TWF_RECORD_SIZE], const struct twf_identity *identity) {
    twf_table_read(&feeder->machine.table, record);
    twf_machine_init(&feeder->machine, finished);
    feeder->machine.bring_up.unfinished = identity->unfinished;
    feeder->machine.kept = identity->kept;
    if (identity->unfinished)
        feeder->machine.faults = TWF_FAULT_BIT(TWF_FAULT_STOP);
    twf_decoder_init(&feeder->decoder);
    twf_answers_init(&feeder->answers);
    feeder->identity = *identity;
    feeder->scanned_us = feeder->counted_us = hal_time_us();
    feeder->heard_ms = 0;
    feeder->repeat_ms = 0;
    feeder->seq = 0;
    feeder->snapshot = 0;
    feeder->repeating = false;
    feeder->repeat_left = 0;
    feeder->session = false;
}

void twf_feeder_receive(struct twf_feeder *feeder, uint8_t byte) {
    struct twf_frame frame;
    if (!twf_decoder_take(&feeder->decoder, byte, &frame))
        return;
    take_frame(feeder, &frame);
    settle(feeder);
}

void twf_feeder_poll(struct twf_feeder *feeder) {
    const uint32_t now_us = hal_time_us();
    uint8_t elapsed_ms = 0;
    if (now_us - feeder->scanned_us < TWF_SCAN_US) /* two readings that agree are never nearer to each other */
        return;
    feeder->scanned_us = now_us;
    while (now_us - feeder->counted_us >= TWF_SCAN_US && elapsed_ms < MOST_LAG_MS) { /* mostly once: a division would cost more */
        feeder->counted_us += TWF_SCAN_US;
        elapsed_ms++;
    }
    twf_run_scan(&feeder->machine, elapsed_ms);
    settle(feeder);
}
