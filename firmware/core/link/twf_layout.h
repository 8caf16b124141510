/* TWF: message types, payload layouts and codes.
 *
 * Written by `python -m tools.c_layout` from the table in firmware_bridge/messages; change it there.
 * PROTOCOL.md says what each message means.
 *
 * Numbers on the wire are little-endian. A u40 is kept as its five bytes: bit p of a seat's places is bit p % 8 of
 * byte p / 8. twf_read_* takes a payload of exactly TWF_SIZE_* bytes and returns false for a code that does not
 * exist; twf_write_* fills TWF_SIZE_* bytes.
 */
#ifndef TWF_LAYOUT_H
#define TWF_LAYOUT_H

/* clang-format off */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Frames: header, payload, CRC-32; stuffed with COBS and ended by 0x00. */
#define TWF_VERSION 3u
#define TWF_VERSION_OF_GATES 4u
#define TWF_AT_VERSION 0u
#define TWF_AT_TYPE 1u
#define TWF_AT_SEQ 2u
#define TWF_AT_OPERATION 4u
#define TWF_AT_TIME 8u
#define TWF_HEADER_SIZE 12u
#define TWF_CRC_SIZE 4u
#define TWF_MAX_PAYLOAD 48u
#define TWF_MIN_FRAME 16u
#define TWF_MAX_FRAME 64u
/* A stuffed frame at most, without the 0x00 that ends it. */
#define TWF_MAX_ENCODED 65u

/* Times in milliseconds of wall time, and counts. */
#define TWF_HEARTBEAT_MS 100u
#define TWF_EVENT_REPEAT_MS 100u
#define TWF_EVENTS_AT_ONCE 8u
#define TWF_SAFETY_STOP_MS 100u
/* In place of a seat: every seat (DUMP, LOCK). */
#define TWF_ALL_SEATS 255u
/* A seat's rear gate has the seat's number plus REAR_GATE; this many of a magazine's last places are behind it. */
#define TWF_REAR_GATE 4u
#define TWF_REAR_PLACES 3u

/* CAPS of the reference table. */
#define TWF_REFERENCE_SEATS 4u
#define TWF_REFERENCE_TRAY_PLACES 37u
#define TWF_REFERENCE_WALL_PLACES 34u
#define TWF_REFERENCE_HAND_PLACES 13u
#define TWF_REFERENCE_BYPASS_CELLS 4u
#define TWF_REFERENCE_SHUTTLE_QUEUE 2u
#define TWF_REFERENCE_TWO_HIGH 1u
#define TWF_REFERENCE_ANSWERS_KEPT 64u
#define TWF_REFERENCE_EVENTS_KEPT 32u
#define TWF_REFERENCE_HOLD_AFTER_MS 300u
#define TWF_REFERENCE_MOTORS_OFF_AFTER_MS 1000u
#define TWF_REFERENCE_GATE_PERIOD_MS 600u

/* Codes. */
enum twf_result_code {
    TWF_RESULT_OK = 0,
    TWF_RESULT_DISTURBED = 1,
    TWF_RESULT_FAILED = 2,
    TWF_RESULT_ABORTED = 3
};

enum twf_nak_code {
    TWF_NAK_BUSY = 1,
    TWF_NAK_NO_TILE = 2,
    TWF_NAK_OCCUPIED = 3,
    TWF_NAK_EMPTY = 4,
    TWF_NAK_UNSUPPORTED = 5,
    TWF_NAK_COVERED = 6,
    TWF_NAK_NO_SUCH_PLACE = 7,
    TWF_NAK_NO_SESSION = 8,
    TWF_NAK_STOPPED = 9,
    TWF_NAK_STALE = 10,
    TWF_NAK_MISMATCH = 11,
    TWF_NAK_UNKNOWN_COMMAND = 12,
    TWF_NAK_UNACKNOWLEDGED = 13,
    TWF_NAK_WELL_OPEN = 14,
    TWF_NAK_NOT_OPEN = 15,
    TWF_NAK_STILL_THERE = 16,
    TWF_NAK_SERVICE_SWITCH = 17,
    TWF_NAK_WRONG_MODE = 18
};

enum twf_fault_code {
    TWF_FAULT_NONE = 0,
    TWF_FAULT_JAM = 1,
    TWF_FAULT_DOUBLE_FEED = 2,
    TWF_FAULT_SHUTTLE = 3,
    TWF_FAULT_SENSORS_DISAGREE = 4,
    TWF_FAULT_ESTOP = 5,
    TWF_FAULT_STOP = 6,
    TWF_FAULT_LID = 7,
    TWF_FAULT_WELL = 8,
    TWF_FAULT_LOCK = 9,
    TWF_FAULT_INTERNAL = 10,
    TWF_FAULT_NO_TILE = 11,
    TWF_FAULT_HOME_OPEN = 12,
    TWF_FAULT_HOME_SHUT = 13,
    TWF_FAULT_DRIVER = 14
};

static inline bool twf_is_fault(uint8_t code) {
    switch (code) {
    case TWF_FAULT_NONE:
    case TWF_FAULT_JAM:
    case TWF_FAULT_DOUBLE_FEED:
    case TWF_FAULT_SHUTTLE:
    case TWF_FAULT_SENSORS_DISAGREE:
    case TWF_FAULT_ESTOP:
    case TWF_FAULT_STOP:
    case TWF_FAULT_LID:
    case TWF_FAULT_WELL:
    case TWF_FAULT_LOCK:
    case TWF_FAULT_INTERNAL:
    case TWF_FAULT_NO_TILE:
    case TWF_FAULT_HOME_OPEN:
    case TWF_FAULT_HOME_SHUT:
    case TWF_FAULT_DRIVER:
        return true;
    default:
        return false;
    }
}

enum twf_where_code {
    TWF_WHERE_SHUTTLE = 0,
    TWF_WHERE_GATE = 16,
    TWF_WHERE_DIVERTER = 17,
    TWF_WHERE_DRUM = 18,
    TWF_WHERE_WELL = 19,
    TWF_WHERE_TABLE = 20,
    TWF_WHERE_TRAY = 32,
    TWF_WHERE_MAGAZINE = 48,
    TWF_WHERE_CELL = 64,
    TWF_WHERE_OTHER_GATE = 80,
    TWF_WHERE_OTHER_DIVERTER = 96,
    TWF_WHERE_EXCHANGER = 112,
    TWF_WHERE_RETURN_LANE = 128
};

enum twf_state_code {
    TWF_STATE_HOMING = 0,
    TWF_STATE_WAITING = 1,
    TWF_STATE_READY = 2,
    TWF_STATE_FEEDING = 3,
    TWF_STATE_HOLDING = 4,
    TWF_STATE_STOPPED = 5,
    TWF_STATE_OFF = 6,
    TWF_STATE_BRING_UP = 7
};

enum twf_reset_code {
    TWF_RESET_POWER_ON = 0,
    TWF_RESET_RESET_PIN = 1,
    TWF_RESET_BROWN_OUT = 2,
    TWF_RESET_WATCHDOG = 3,
    TWF_RESET_SOFTWARE = 4
};

enum twf_container_code {
    TWF_CONTAINER_TRAY = 0,
    TWF_CONTAINER_MAGAZINE = 1
};

static inline bool twf_is_container(uint8_t code) {
    switch (code) {
    case TWF_CONTAINER_TRAY:
    case TWF_CONTAINER_MAGAZINE:
        return true;
    default:
        return false;
    }
}

#define TWF_FLAG_GATE_OCCUPIED 0x01u
#define TWF_FLAG_DRUM_EMPTY 0x02u
#define TWF_FLAG_LID_OPEN 0x04u
#define TWF_FLAG_ESTOP 0x08u
#define TWF_FLAG_WELL_OPEN 0x10u
#define TWF_FLAG_FEEDING 0x20u
#define TWF_FLAG_MOTORS_ON 0x40u
#define TWF_FLAG_SESSION 0x80u

#define TWF_SENSOR_GATE_LEFT 0x0001u
#define TWF_SENSOR_DIVERTED 0x0002u
#define TWF_SENSOR_PICKED 0x0004u
#define TWF_SENSOR_DROPPED 0x0008u
#define TWF_SENSOR_CELL_IN 0x0010u
#define TWF_SENSOR_CELL_OUT 0x0020u
#define TWF_SENSOR_DRUM_IN 0x0040u
#define TWF_SENSOR_REJECT_IN 0x0080u
#define TWF_SENSOR_GATE_ENTERED 0x0100u
#define TWF_SENSOR_FLOOR 0x0200u
#define TWF_SENSOR_RAISED 0x0400u
#define TWF_SENSOR_LOCK_MOVED 0x0800u
#define TWF_SENSOR_DOOR_MOVED 0x1000u
#define TWF_SENSOR_EXCHANGED 0x2000u
#define TWF_SENSOR_OUT_OF_ORDER 0x8000u

/* Exactly these edges make a position trusted. */
#define TWF_PLACE_EDGES 0x000fu
#define TWF_RELEASE_EDGES 0x002eu

/* Message types and the bytes of their payloads. */
enum twf_type {
    TWF_TYPE_HELLO = 0x01,
    TWF_TYPE_GET_CAPS = 0x02,
    TWF_TYPE_CONFIG = 0x03,
    TWF_TYPE_HEARTBEAT = 0x04,
    TWF_TYPE_STATUS_REQUEST = 0x05,
    TWF_TYPE_EVENT_ACK = 0x06,
    TWF_TYPE_PINS_REQUEST = 0x07,
    TWF_TYPE_FEED = 0x10,
    TWF_TYPE_HOLD = 0x11,
    TWF_TYPE_PLACE = 0x12,
    TWF_TYPE_BYPASS = 0x13,
    TWF_TYPE_RELEASE = 0x14,
    TWF_TYPE_RETURN = 0x15,
    TWF_TYPE_RECIRCULATE = 0x16,
    TWF_TYPE_REJECT = 0x17,
    TWF_TYPE_DUMP = 0x18,
    TWF_TYPE_RAISE = 0x20,
    TWF_TYPE_OPEN_WELL = 0x21,
    TWF_TYPE_CLOSE_WELL = 0x22,
    TWF_TYPE_UNLOCK = 0x23,
    TWF_TYPE_RENEW = 0x24,
    TWF_TYPE_LOCK = 0x25,
    TWF_TYPE_SENSE = 0x26,
    TWF_TYPE_CLEAR = 0x28,
    TWF_TYPE_STOP = 0x29,
    TWF_TYPE_BRING_UP = 0x2a,
    TWF_TYPE_DRIVE = 0x2b,
    TWF_TYPE_HELLO_ACK = 0x81,
    TWF_TYPE_CAPS = 0x82,
    TWF_TYPE_CONFIG_ACK = 0x83,
    TWF_TYPE_BEAT = 0x84,
    TWF_TYPE_ACK = 0x85,
    TWF_TYPE_NAK = 0x86,
    TWF_TYPE_DONE = 0x87,
    TWF_TYPE_STATUS_STATE = 0x88,
    TWF_TYPE_STATUS_PLACES = 0x89,
    TWF_TYPE_STATUS_COUNTERS = 0x8a,
    TWF_TYPE_PINS = 0x8b,
    TWF_TYPE_TILE_AT_GATE = 0x90,
    TWF_TYPE_TAKEN = 0x91,
    TWF_TYPE_DRAWN = 0x92,
    TWF_TYPE_PUT_BACK = 0x93,
    TWF_TYPE_WELL = 0x94,
    TWF_TYPE_LID = 0x95,
    TWF_TYPE_ESTOP = 0x96,
    TWF_TYPE_FAULT = 0x97
};

#define TWF_SIZE_HELLO 6u
#define TWF_SIZE_GET_CAPS 0u
#define TWF_SIZE_CONFIG 8u
#define TWF_SIZE_HEARTBEAT 0u
#define TWF_SIZE_STATUS_REQUEST 0u
#define TWF_SIZE_EVENT_ACK 4u
#define TWF_SIZE_PINS_REQUEST 0u
#define TWF_SIZE_FEED 0u
#define TWF_SIZE_HOLD 0u
#define TWF_SIZE_PLACE 2u
#define TWF_SIZE_BYPASS 1u
#define TWF_SIZE_RELEASE 3u
#define TWF_SIZE_RETURN 2u
#define TWF_SIZE_RECIRCULATE 0u
#define TWF_SIZE_REJECT 0u
#define TWF_SIZE_DUMP 2u
#define TWF_SIZE_RAISE 0u
#define TWF_SIZE_OPEN_WELL 0u
#define TWF_SIZE_CLOSE_WELL 0u
#define TWF_SIZE_UNLOCK 5u
#define TWF_SIZE_RENEW 5u
#define TWF_SIZE_LOCK 1u
#define TWF_SIZE_SENSE 0u
#define TWF_SIZE_CLEAR 1u
#define TWF_SIZE_STOP 0u
#define TWF_SIZE_BRING_UP 0u
#define TWF_SIZE_DRIVE 3u
#define TWF_SIZE_HELLO_ACK 42u
#define TWF_SIZE_CAPS 15u
#define TWF_SIZE_CONFIG_ACK 9u
#define TWF_SIZE_BEAT 6u
#define TWF_SIZE_ACK 4u
#define TWF_SIZE_NAK 1u
#define TWF_SIZE_DONE 7u
#define TWF_SIZE_STATUS_STATE 24u
#define TWF_SIZE_STATUS_PLACES 42u
#define TWF_SIZE_STATUS_COUNTERS 46u
#define TWF_SIZE_PINS 48u
#define TWF_SIZE_TILE_AT_GATE 12u
#define TWF_SIZE_TAKEN 6u
#define TWF_SIZE_DRAWN 5u
#define TWF_SIZE_PUT_BACK 5u
#define TWF_SIZE_WELL 6u
#define TWF_SIZE_LID 5u
#define TWF_SIZE_ESTOP 5u
#define TWF_SIZE_FAULT 10u
#define TWF_SIZE_PLACE_OF_GATES 3u
#define TWF_SIZE_RECIRCULATE_OF_GATES 1u
#define TWF_SIZE_REJECT_OF_GATES 1u
#define TWF_SIZE_CAPS_OF_GATES 19u
#define TWF_SIZE_STATUS_STATE_OF_GATES 26u
#define TWF_SIZE_TILE_AT_GATE_OF_GATES 13u

#define TWF_FIRST_COMMAND 0x10u
#define TWF_LAST_COMMAND 0x3fu
#define TWF_FIRST_SERVICE 0x30u
#define TWF_LAST_SERVICE 0x3fu
#define TWF_FIRST_EVENT 0x90u
#define TWF_LAST_EVENT 0x97u
/* Payload bytes of a message from the host; -1 for a type that does not exist. */
static inline int8_t twf_size_from_host(uint8_t type) {
    switch (type) {
    case TWF_TYPE_HELLO:
        return (int8_t)TWF_SIZE_HELLO;
    case TWF_TYPE_GET_CAPS:
        return (int8_t)TWF_SIZE_GET_CAPS;
    case TWF_TYPE_CONFIG:
        return (int8_t)TWF_SIZE_CONFIG;
    case TWF_TYPE_HEARTBEAT:
        return (int8_t)TWF_SIZE_HEARTBEAT;
    case TWF_TYPE_STATUS_REQUEST:
        return (int8_t)TWF_SIZE_STATUS_REQUEST;
    case TWF_TYPE_EVENT_ACK:
        return (int8_t)TWF_SIZE_EVENT_ACK;
    case TWF_TYPE_PINS_REQUEST:
        return (int8_t)TWF_SIZE_PINS_REQUEST;
    case TWF_TYPE_FEED:
        return (int8_t)TWF_SIZE_FEED;
    case TWF_TYPE_HOLD:
        return (int8_t)TWF_SIZE_HOLD;
    case TWF_TYPE_PLACE:
        return (int8_t)TWF_SIZE_PLACE;
    case TWF_TYPE_BYPASS:
        return (int8_t)TWF_SIZE_BYPASS;
    case TWF_TYPE_RELEASE:
        return (int8_t)TWF_SIZE_RELEASE;
    case TWF_TYPE_RETURN:
        return (int8_t)TWF_SIZE_RETURN;
    case TWF_TYPE_RECIRCULATE:
        return (int8_t)TWF_SIZE_RECIRCULATE;
    case TWF_TYPE_REJECT:
        return (int8_t)TWF_SIZE_REJECT;
    case TWF_TYPE_DUMP:
        return (int8_t)TWF_SIZE_DUMP;
    case TWF_TYPE_RAISE:
        return (int8_t)TWF_SIZE_RAISE;
    case TWF_TYPE_OPEN_WELL:
        return (int8_t)TWF_SIZE_OPEN_WELL;
    case TWF_TYPE_CLOSE_WELL:
        return (int8_t)TWF_SIZE_CLOSE_WELL;
    case TWF_TYPE_UNLOCK:
        return (int8_t)TWF_SIZE_UNLOCK;
    case TWF_TYPE_RENEW:
        return (int8_t)TWF_SIZE_RENEW;
    case TWF_TYPE_LOCK:
        return (int8_t)TWF_SIZE_LOCK;
    case TWF_TYPE_SENSE:
        return (int8_t)TWF_SIZE_SENSE;
    case TWF_TYPE_CLEAR:
        return (int8_t)TWF_SIZE_CLEAR;
    case TWF_TYPE_STOP:
        return (int8_t)TWF_SIZE_STOP;
    case TWF_TYPE_BRING_UP:
        return (int8_t)TWF_SIZE_BRING_UP;
    case TWF_TYPE_DRIVE:
        return (int8_t)TWF_SIZE_DRIVE;
    default:
        return -1;
    }
}

/* The same in version 4. */
static inline int8_t twf_size_from_host_of_gates(uint8_t type) {
    switch (type) {
    case TWF_TYPE_PLACE:
        return (int8_t)TWF_SIZE_PLACE_OF_GATES;
    case TWF_TYPE_RECIRCULATE:
        return (int8_t)TWF_SIZE_RECIRCULATE_OF_GATES;
    case TWF_TYPE_REJECT:
        return (int8_t)TWF_SIZE_REJECT_OF_GATES;
    default:
        return twf_size_from_host(type);
    }
}

static inline uint16_t twf_get_u16(const uint8_t *at) {
    return (uint16_t)((uint16_t)at[0] | (uint16_t)((uint16_t)at[1] << 8));
}

static inline uint32_t twf_get_u32(const uint8_t *at) {
    return (uint32_t)at[0] | ((uint32_t)at[1] << 8) | ((uint32_t)at[2] << 16) | ((uint32_t)at[3] << 24);
}

static inline void twf_put_u16(uint8_t *at, uint16_t number) {
    at[0] = (uint8_t)(number & 0xffu);
    at[1] = (uint8_t)(number >> 8);
}

static inline void twf_put_u32(uint8_t *at, uint32_t number) {
    at[0] = (uint8_t)(number & 0xffu);
    at[1] = (uint8_t)((number >> 8) & 0xffu);
    at[2] = (uint8_t)((number >> 16) & 0xffu);
    at[3] = (uint8_t)(number >> 24);
}

struct twf_hello {
    uint32_t nonce;
    uint8_t lowest_version;
    uint8_t highest_version;
};

static inline bool twf_read_hello(const uint8_t *payload, struct twf_hello *message) {
    message->nonce = twf_get_u32(payload + 0);
    message->lowest_version = payload[4];
    message->highest_version = payload[5];
    return true;
}

struct twf_config {
    uint8_t digest[8];
};

static inline bool twf_read_config(const uint8_t *payload, struct twf_config *message) {
    memcpy(message->digest, payload + 0, 8u);
    return true;
}

struct twf_event_ack {
    uint32_t event;
};

static inline bool twf_read_event_ack(const uint8_t *payload, struct twf_event_ack *message) {
    message->event = twf_get_u32(payload + 0);
    return true;
}

struct twf_place {
    uint8_t seat;
    uint8_t position;
};

static inline bool twf_read_place(const uint8_t *payload, struct twf_place *message) {
    message->seat = payload[0];
    message->position = payload[1];
    return true;
}

struct twf_bypass {
    uint8_t cell;
};

static inline bool twf_read_bypass(const uint8_t *payload, struct twf_bypass *message) {
    message->cell = payload[0];
    return true;
}

struct twf_release {
    uint8_t cell;
    uint8_t seat;
    uint8_t position;
};

static inline bool twf_read_release(const uint8_t *payload, struct twf_release *message) {
    message->cell = payload[0];
    message->seat = payload[1];
    message->position = payload[2];
    return true;
}

struct twf_return {
    uint8_t seat;
    uint8_t position;
};

static inline bool twf_read_return(const uint8_t *payload, struct twf_return *message) {
    message->seat = payload[0];
    message->position = payload[1];
    return true;
}

struct twf_dump {
    uint8_t container;
    uint8_t seat;
};

static inline bool twf_read_dump(const uint8_t *payload, struct twf_dump *message) {
    message->container = payload[0];
    message->seat = payload[1];
    return twf_is_container(message->container);
}

struct twf_unlock {
    uint8_t seat;
    uint32_t lease_ms;
};

static inline bool twf_read_unlock(const uint8_t *payload, struct twf_unlock *message) {
    message->seat = payload[0];
    message->lease_ms = twf_get_u32(payload + 1);
    return true;
}

struct twf_renew {
    uint8_t seat;
    uint32_t lease_ms;
};

static inline bool twf_read_renew(const uint8_t *payload, struct twf_renew *message) {
    message->seat = payload[0];
    message->lease_ms = twf_get_u32(payload + 1);
    return true;
}

struct twf_lock {
    uint8_t seat;
};

static inline bool twf_read_lock(const uint8_t *payload, struct twf_lock *message) {
    message->seat = payload[0];
    return true;
}

struct twf_clear {
    uint8_t fault;
};

static inline bool twf_read_clear(const uint8_t *payload, struct twf_clear *message) {
    message->fault = payload[0];
    return twf_is_fault(message->fault);
}

struct twf_drive {
    uint8_t output;
    uint16_t amount;
};

static inline bool twf_read_drive(const uint8_t *payload, struct twf_drive *message) {
    message->output = payload[0];
    message->amount = twf_get_u16(payload + 1);
    return true;
}

struct twf_hello_ack {
    uint32_t nonce;
    uint8_t protocol_version;
    uint8_t uid[8];
    uint32_t boot_id;
    uint8_t reset_reason;
    uint8_t firmware_digest[8];
    uint8_t capabilities_digest[8];
    uint32_t last_operation;
    uint32_t next_event;
};

static inline void twf_write_hello_ack(uint8_t *payload, const struct twf_hello_ack *message) {
    twf_put_u32(payload + 0, message->nonce);
    payload[4] = message->protocol_version;
    memcpy(payload + 5, message->uid, 8u);
    twf_put_u32(payload + 13, message->boot_id);
    payload[17] = message->reset_reason;
    memcpy(payload + 18, message->firmware_digest, 8u);
    memcpy(payload + 26, message->capabilities_digest, 8u);
    twf_put_u32(payload + 34, message->last_operation);
    twf_put_u32(payload + 38, message->next_event);
}

struct twf_caps {
    uint8_t seats;
    uint8_t tray_places;
    uint8_t wall_places;
    uint8_t hand_places;
    uint8_t bypass_cells;
    uint8_t shuttle_queue;
    bool two_high;
    uint8_t answers_kept;
    uint8_t events_kept;
    uint16_t hold_after_ms;
    uint16_t motors_off_after_ms;
    uint16_t gate_period_ms;
};

static inline void twf_write_caps(uint8_t *payload, const struct twf_caps *message) {
    payload[0] = message->seats;
    payload[1] = message->tray_places;
    payload[2] = message->wall_places;
    payload[3] = message->hand_places;
    payload[4] = message->bypass_cells;
    payload[5] = message->shuttle_queue;
    payload[6] = message->two_high ? 1u : 0u;
    payload[7] = message->answers_kept;
    payload[8] = message->events_kept;
    twf_put_u16(payload + 9, message->hold_after_ms);
    twf_put_u16(payload + 11, message->motors_off_after_ms);
    twf_put_u16(payload + 13, message->gate_period_ms);
}

struct twf_config_ack {
    bool accepted;
    uint8_t digest[8];
};

static inline void twf_write_config_ack(uint8_t *payload, const struct twf_config_ack *message) {
    payload[0] = message->accepted ? 1u : 0u;
    memcpy(payload + 1, message->digest, 8u);
}

struct twf_beat {
    uint32_t boot_id;
    uint8_t state;
    uint8_t flags;
};

static inline void twf_write_beat(uint8_t *payload, const struct twf_beat *message) {
    twf_put_u32(payload + 0, message->boot_id);
    payload[4] = message->state;
    payload[5] = message->flags;
}

struct twf_ack {
    uint32_t expected_ms;
};

static inline void twf_write_ack(uint8_t *payload, const struct twf_ack *message) {
    twf_put_u32(payload + 0, message->expected_ms);
}

struct twf_nak {
    uint8_t code;
};

static inline void twf_write_nak(uint8_t *payload, const struct twf_nak *message) {
    payload[0] = message->code;
}

struct twf_done {
    uint8_t result;
    uint16_t sensors;
    uint32_t ms;
};

static inline void twf_write_done(uint8_t *payload, const struct twf_done *message) {
    payload[0] = message->result;
    twf_put_u16(payload + 1, message->sensors);
    twf_put_u32(payload + 3, message->ms);
}

struct twf_status_state {
    uint16_t snapshot;
    uint8_t state;
    uint8_t flags;
    uint16_t faults;
    uint8_t open_locks;
    uint8_t bypass;
    uint8_t waiting[4];
    uint32_t well;
    uint32_t last_operation;
    uint32_t boot_id;
};

static inline void twf_write_status_state(uint8_t *payload, const struct twf_status_state *message) {
    twf_put_u16(payload + 0, message->snapshot);
    payload[2] = message->state;
    payload[3] = message->flags;
    twf_put_u16(payload + 4, message->faults);
    payload[6] = message->open_locks;
    payload[7] = message->bypass;
    memcpy(payload + 8, message->waiting, 4u);
    twf_put_u32(payload + 12, message->well);
    twf_put_u32(payload + 16, message->last_operation);
    twf_put_u32(payload + 20, message->boot_id);
}

struct twf_status_places {
    uint16_t snapshot;
    uint8_t trays[4][5];
    uint8_t magazines[4][5];
};

static inline void twf_write_status_places(uint8_t *payload, const struct twf_status_places *message) {
    twf_put_u16(payload + 0, message->snapshot);
    memcpy(payload + 2, message->trays, 20u);
    memcpy(payload + 22, message->magazines, 20u);
}

struct twf_status_counters {
    uint16_t snapshot;
    uint32_t arrived;
    uint32_t placed;
    uint32_t bypassed;
    uint32_t released;
    uint32_t returned;
    uint32_t recirculated;
    uint32_t rejected;
    uint32_t dumped;
    uint32_t taken;
    uint32_t drawn;
    uint32_t put_back;
};

static inline void twf_write_status_counters(uint8_t *payload, const struct twf_status_counters *message) {
    twf_put_u16(payload + 0, message->snapshot);
    twf_put_u32(payload + 2, message->arrived);
    twf_put_u32(payload + 6, message->placed);
    twf_put_u32(payload + 10, message->bypassed);
    twf_put_u32(payload + 14, message->released);
    twf_put_u32(payload + 18, message->returned);
    twf_put_u32(payload + 22, message->recirculated);
    twf_put_u32(payload + 26, message->rejected);
    twf_put_u32(payload + 30, message->dumped);
    twf_put_u32(payload + 34, message->taken);
    twf_put_u32(payload + 38, message->drawn);
    twf_put_u32(payload + 42, message->put_back);
}

struct twf_pins {
    uint8_t inputs[48];
};

static inline void twf_write_pins(uint8_t *payload, const struct twf_pins *message) {
    memcpy(payload + 0, message->inputs, 48u);
}

struct twf_tile_at_gate {
    uint32_t number;
    uint16_t width;
    uint8_t edges;
    uint8_t back;
    uint32_t operation;
};

static inline void twf_write_tile_at_gate(uint8_t *payload, const struct twf_tile_at_gate *message) {
    twf_put_u32(payload + 0, message->number);
    twf_put_u16(payload + 4, message->width);
    payload[6] = message->edges;
    payload[7] = message->back;
    twf_put_u32(payload + 8, message->operation);
}

struct twf_taken {
    uint32_t number;
    uint8_t seat;
    uint8_t place;
};

static inline void twf_write_taken(uint8_t *payload, const struct twf_taken *message) {
    twf_put_u32(payload + 0, message->number);
    payload[4] = message->seat;
    payload[5] = message->place;
}

struct twf_drawn {
    uint32_t number;
    uint8_t seat;
};

static inline void twf_write_drawn(uint8_t *payload, const struct twf_drawn *message) {
    twf_put_u32(payload + 0, message->number);
    payload[4] = message->seat;
}

struct twf_put_back {
    uint32_t number;
    uint8_t seat;
};

static inline void twf_write_put_back(uint8_t *payload, const struct twf_put_back *message) {
    twf_put_u32(payload + 0, message->number);
    payload[4] = message->seat;
}

struct twf_well {
    uint32_t number;
    uint16_t count;
};

static inline void twf_write_well(uint8_t *payload, const struct twf_well *message) {
    twf_put_u32(payload + 0, message->number);
    twf_put_u16(payload + 4, message->count);
}

struct twf_lid {
    uint32_t number;
    bool open;
};

static inline void twf_write_lid(uint8_t *payload, const struct twf_lid *message) {
    twf_put_u32(payload + 0, message->number);
    payload[4] = message->open ? 1u : 0u;
}

struct twf_estop {
    uint32_t number;
    bool on;
};

static inline void twf_write_estop(uint8_t *payload, const struct twf_estop *message) {
    twf_put_u32(payload + 0, message->number);
    payload[4] = message->on ? 1u : 0u;
}

struct twf_fault {
    uint32_t number;
    uint8_t code;
    uint8_t where;
    uint32_t operation;
};

static inline void twf_write_fault(uint8_t *payload, const struct twf_fault *message) {
    twf_put_u32(payload + 0, message->number);
    payload[4] = message->code;
    payload[5] = message->where;
    twf_put_u32(payload + 6, message->operation);
}

struct twf_place_of_gates {
    uint8_t seat;
    uint8_t position;
    uint8_t gate;
};

static inline bool twf_read_place_of_gates(const uint8_t *payload, struct twf_place_of_gates *message) {
    message->seat = payload[0];
    message->position = payload[1];
    message->gate = payload[2];
    return true;
}

struct twf_recirculate_of_gates {
    uint8_t gate;
};

static inline bool twf_read_recirculate_of_gates(const uint8_t *payload, struct twf_recirculate_of_gates *message) {
    message->gate = payload[0];
    return true;
}

struct twf_reject_of_gates {
    uint8_t gate;
};

static inline bool twf_read_reject_of_gates(const uint8_t *payload, struct twf_reject_of_gates *message) {
    message->gate = payload[0];
    return true;
}

struct twf_caps_of_gates {
    uint8_t seats;
    uint8_t tray_places;
    uint8_t wall_places;
    uint8_t hand_places;
    uint8_t bypass_cells;
    uint8_t shuttle_queue;
    bool two_high;
    uint8_t answers_kept;
    uint8_t events_kept;
    uint16_t hold_after_ms;
    uint16_t motors_off_after_ms;
    uint16_t gate_period_ms;
    uint8_t gates;
    uint8_t exchangers;
    uint8_t pocket_places;
    uint8_t shuttles;
};

static inline void twf_write_caps_of_gates(uint8_t *payload, const struct twf_caps_of_gates *message) {
    payload[0] = message->seats;
    payload[1] = message->tray_places;
    payload[2] = message->wall_places;
    payload[3] = message->hand_places;
    payload[4] = message->bypass_cells;
    payload[5] = message->shuttle_queue;
    payload[6] = message->two_high ? 1u : 0u;
    payload[7] = message->answers_kept;
    payload[8] = message->events_kept;
    twf_put_u16(payload + 9, message->hold_after_ms);
    twf_put_u16(payload + 11, message->motors_off_after_ms);
    twf_put_u16(payload + 13, message->gate_period_ms);
    payload[15] = message->gates;
    payload[16] = message->exchangers;
    payload[17] = message->pocket_places;
    payload[18] = message->shuttles;
}

struct twf_status_state_of_gates {
    uint16_t snapshot;
    uint8_t state;
    uint8_t flags;
    uint16_t faults;
    uint8_t open_locks;
    uint16_t bypass;
    uint8_t waiting[4];
    uint32_t well;
    uint32_t last_operation;
    uint32_t boot_id;
    uint8_t gates;
};

static inline void twf_write_status_state_of_gates(uint8_t *payload, const struct twf_status_state_of_gates *message) {
    twf_put_u16(payload + 0, message->snapshot);
    payload[2] = message->state;
    payload[3] = message->flags;
    twf_put_u16(payload + 4, message->faults);
    payload[6] = message->open_locks;
    twf_put_u16(payload + 7, message->bypass);
    memcpy(payload + 9, message->waiting, 4u);
    twf_put_u32(payload + 13, message->well);
    twf_put_u32(payload + 17, message->last_operation);
    twf_put_u32(payload + 21, message->boot_id);
    payload[25] = message->gates;
}

struct twf_tile_at_gate_of_gates {
    uint32_t number;
    uint16_t width;
    uint8_t edges;
    uint8_t back;
    uint32_t operation;
    uint8_t gate;
};

static inline void twf_write_tile_at_gate_of_gates(uint8_t *payload, const struct twf_tile_at_gate_of_gates *message) {
    twf_put_u32(payload + 0, message->number);
    twf_put_u16(payload + 4, message->width);
    payload[6] = message->edges;
    payload[7] = message->back;
    twf_put_u32(payload + 8, message->operation);
    payload[12] = message->gate;
}

/* clang-format on */

#endif
