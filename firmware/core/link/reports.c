#include "reports.h"

#include <string.h>

#include "../board/hal.h"
#include "../motion/motion.h"

bool twf_reports_send(struct twf_feeder *feeder, uint8_t type, const uint8_t *payload, uint8_t size, uint32_t operation) {
    const struct twf_header header = {twf_table_version(&feeder->machine.table), type, feeder->seq, operation, hal_time_us()};
    struct twf_encoded encoded;
    twf_encode(&header, payload, size, &encoded);
    if (!hal_uart_write(encoded.bytes, encoded.count))
        return false;
    feeder->seq++;
    return true;
}

void twf_reports_answer(struct twf_feeder *feeder, uint32_t operation, uint8_t command, const struct twf_answer *answer) {
    uint8_t payload[TWF_SIZE_DONE];
    uint8_t size = 0;
    if (answer->type == TWF_TYPE_ACK) {
        const struct twf_ack ack = {twf_table_expected_ms(&feeder->machine.table, command)};
        twf_write_ack(payload, &ack);
        size = TWF_SIZE_ACK;
    } else if (answer->type == TWF_TYPE_NAK) {
        payload[0] = answer->code;
        size = TWF_SIZE_NAK;
    } else {
        const struct twf_done done = {answer->code, answer->sensors, answer->ms};
        twf_write_done(payload, &done);
        size = TWF_SIZE_DONE;
    }
    twf_reports_send(feeder, answer->type, payload, size, operation);
}

void twf_reports_nak(struct twf_feeder *feeder, uint32_t operation, uint8_t code) {
    twf_reports_send(feeder, TWF_TYPE_NAK, &code, 1, operation);
}

void twf_reports_beat(struct twf_feeder *feeder) {
    uint8_t payload[TWF_SIZE_BEAT];
    const struct twf_beat beat = {
        .boot_id = feeder->identity.boot_id,
        .state = twf_session_state(feeder),
        .flags = (uint8_t)(twf_machine_flags(&feeder->machine) | (feeder->session ? TWF_FLAG_SESSION : 0u)),
    };
    twf_write_beat(payload, &beat);
    twf_reports_send(feeder, TWF_TYPE_BEAT, payload, TWF_SIZE_BEAT, 0);
}

void twf_reports_hello_ack(struct twf_feeder *feeder, uint32_t nonce) {
    uint8_t payload[TWF_SIZE_HELLO_ACK];
    struct twf_hello_ack ack = {
        .nonce = nonce,
        .protocol_version = twf_table_version(&feeder->machine.table),
        .boot_id = feeder->identity.boot_id,
        .reset_reason = feeder->identity.reset_reason,
        .last_operation = feeder->answers.highest,
        .next_event = feeder->machine.events.oldest,
    };
    memcpy(ack.uid, feeder->machine.table.uid, sizeof ack.uid);
    memcpy(ack.firmware_digest, feeder->identity.firmware_digest, sizeof ack.firmware_digest);
    memcpy(ack.capabilities_digest, feeder->machine.table.digest, sizeof ack.capabilities_digest);
    twf_write_hello_ack(payload, &ack);
    twf_reports_send(feeder, TWF_TYPE_HELLO_ACK, payload, TWF_SIZE_HELLO_ACK, 0);
}

#if TWF_SEVERAL
/* STATUS_STATE of version 4: cells of all gates, and the gates in which a tile lies. */
static void send_state_of_gates(struct twf_feeder *feeder, const struct twf_status_state *state) {
    const struct twf_machine *machine = &feeder->machine;
    uint8_t payload[TWF_SIZE_STATUS_STATE_OF_GATES];
    struct twf_status_state_of_gates more = {
        .snapshot = state->snapshot,
        .state = state->state,
        .flags = state->flags,
        .faults = state->faults,
        .open_locks = state->open_locks,
        .well = state->well,
        .last_operation = state->last_operation,
        .boot_id = state->boot_id,
    };
    memcpy(more.waiting, state->waiting, sizeof more.waiting);
    for (uint8_t gate = 0; gate < machine->table.gates; gate++) {
        const uint8_t cells = machine->inputs.level[twf_in_at(TWF_IN_CELL_FULL, gate) / 8u];
        more.bypass = (uint16_t)(more.bypass | (unsigned)cells << (gate * machine->table.bypass_cells));
        if (twf_input(&machine->inputs, twf_in_at(TWF_IN_GATE_FULL, gate)))
            more.gates |= twf_mask(gate);
    }
    twf_write_status_state_of_gates(payload, &more);
    twf_reports_send(feeder, TWF_TYPE_STATUS_STATE, payload, TWF_SIZE_STATUS_STATE_OF_GATES, 0);
}
#endif

static void send_state(struct twf_feeder *feeder) {
    const struct twf_machine *machine = &feeder->machine;
    uint8_t payload[TWF_SIZE_STATUS_STATE];
    struct twf_status_state state = {
        .snapshot = feeder->snapshot,
        .state = twf_session_state(feeder),
        .flags = (uint8_t)(twf_machine_flags(machine) | (feeder->session ? TWF_FLAG_SESSION : 0u)),
        .faults = machine->faults,
        .open_locks = (uint8_t)(machine->locks.leased & (machine->table.blinds ? 0x0fu : 0xffu)),
        .bypass = machine->inputs.level[TWF_IN_CELL_FULL / 8u],
        .well = machine->well,
        .last_operation = feeder->answers.highest,
        .boot_id = feeder->identity.boot_id,
    };
    for (uint8_t seat = 0; seat < TWF_SEATS; seat++)
        state.waiting[seat] = twf_motion_waiting(machine, seat);
#if TWF_SEVERAL
    if (machine->table.gates > 1u) {
        send_state_of_gates(feeder, &state);
        return;
    }
#endif
    twf_write_status_state(payload, &state);
    twf_reports_send(feeder, TWF_TYPE_STATUS_STATE, payload, TWF_SIZE_STATUS_STATE, 0);
}

static void send_places(struct twf_feeder *feeder) {
    uint8_t payload[TWF_SIZE_STATUS_PLACES];
    struct twf_status_places places = {.snapshot = feeder->snapshot};
    memcpy(places.trays, twf_input_places(&feeder->machine.inputs, TWF_IN_TRAY, 0), sizeof places.trays);
    memcpy(places.magazines, twf_input_places(&feeder->machine.inputs, TWF_IN_MAGAZINE, 0), sizeof places.magazines);
    twf_write_status_places(payload, &places);
    twf_reports_send(feeder, TWF_TYPE_STATUS_PLACES, payload, TWF_SIZE_STATUS_PLACES, 0);
}

static void send_counters(struct twf_feeder *feeder) {
    uint8_t payload[TWF_SIZE_STATUS_COUNTERS];
    const uint32_t *count = feeder->machine.count;
    const struct twf_status_counters counters = {
        .snapshot = feeder->snapshot,
        .arrived = count[TWF_COUNT_ARRIVED],
        .placed = count[TWF_COUNT_PLACED],
        .bypassed = count[TWF_COUNT_BYPASSED],
        .released = count[TWF_COUNT_RELEASED],
        .returned = count[TWF_COUNT_RETURNED],
        .recirculated = count[TWF_COUNT_RECIRCULATED],
        .rejected = count[TWF_COUNT_REJECTED],
        .dumped = count[TWF_COUNT_DUMPED],
        .taken = count[TWF_COUNT_TAKEN],
        .drawn = count[TWF_COUNT_DRAWN],
        .put_back = count[TWF_COUNT_PUT_BACK],
    };
    twf_write_status_counters(payload, &counters);
    twf_reports_send(feeder, TWF_TYPE_STATUS_COUNTERS, payload, TWF_SIZE_STATUS_COUNTERS, 0);
}

void twf_reports_status(struct twf_feeder *feeder) {
    feeder->snapshot++;
    send_state(feeder);
    send_places(feeder);
    send_counters(feeder);
}
