#include "table.h"

#include <string.h>

#include "../link/crc32.h"
#include "../link/sha256.h"

/* Bytes of the record. */
enum {
    AT_MAGIC = 0,
    AT_UID = 4,
    AT_TRAY_PLACES = 12,
    AT_WALL_PLACES = 13,
    AT_HAND_PLACES = 14,
    AT_BYPASS_CELLS = 15,
    AT_SHUTTLE_QUEUE = 16,
    AT_TWO_HIGH = 17,
    AT_GATE_PERIOD = 18,
    AT_SPEED = 20,
    AT_STEPS = 22,
    AT_GATES = 23, /* 0 in records of machines that know of one only, as the next three */
    AT_EXCHANGERS = 24,
    AT_POCKET_PLACES = 25,
    AT_SHUTTLES = 26,
    AT_WORKED_BY = 27,
    AT_BLINDS = 28,
    AT_CHECKSUM = 36
};

/* Motors and carriages; people; motors as far as the lanes' ends, and from there people. */
enum { WORKED_BY_MOTORS, WORKED_BY_PEOPLE, WORKED_BY_BOTH };

static const uint8_t magic[4] = {'T', 'W', 'F', '1'};
static const uint8_t nameless[8] = {'T', 'W', 'F', '-', 'N', 'E', 'W', '0'};

/* 50 positions/s and 1,000 positions/s², in 65536ths of a step per tick, for each step per position. */
#define CRUISE_PER_STEP (50u * 65536u / (1000000u / TWF_TICK_US))
#define RAMP_PER_STEP_THOUSANDTHS (1000u * 65536u / (1000000u / TWF_TICK_US))
/* A step every other tick: a pulse needs one tick high and one low. */
#define FASTEST_RATE 32768u
/* A slower machine could be late for longer than 16 bits of milliseconds count. */
#define LEAST_SPEED_PERCENT 10u
#define MOST_SPEED_PERCENT 60000u

static uint32_t scaled_up(const struct twf_table *table, uint32_t rate) {
    return rate * table->speed_percent / 100u;
}

static uint32_t least(uint32_t one, uint32_t other) {
    return one < other ? one : other;
}

static void set_rates(struct twf_table *table) {
    const uint32_t steps = table->steps_per_position;
    const uint32_t cruise = least(scaled_up(table, CRUISE_PER_STEP * steps), FASTEST_RATE);
    const uint32_t faster = least(scaled_up(table, RAMP_PER_STEP_THOUSANDTHS * steps / 1000u), FASTEST_RATE);
    const uint32_t ramp = least(scaled_up(table, faster), cruise); /* no product leaves 32 bits */
    table->cruise_rate = (uint16_t)cruise;
    table->ramp_rate = (uint16_t)(ramp > 0 ? ramp : 1u);
}

static void set_reference(struct twf_table *table) {
    memcpy(table->uid, nameless, sizeof nameless);
    table->tray_places = TWF_REFERENCE_TRAY_PLACES;
    table->wall_places = TWF_REFERENCE_WALL_PLACES;
    table->hand_places = TWF_REFERENCE_HAND_PLACES;
    table->bypass_cells = TWF_REFERENCE_BYPASS_CELLS;
    table->shuttle_queue = TWF_REFERENCE_SHUTTLE_QUEUE;
    table->two_high = TWF_REFERENCE_TWO_HIGH;
    table->gate_period_ms = TWF_REFERENCE_GATE_PERIOD_MS;
    table->speed_percent = 100u;
    table->steps_per_position = 32u;
    table->blinds = table->lanes = false;
#if TWF_MANUAL
    table->manual = false;
#endif
#if TWF_SEVERAL
    table->gates = table->shuttles = 1u;
    table->exchangers = table->pocket_places = 0;
#endif
}

/* Whether this program has been compiled for so many gates and shuttles. */
static bool is_driven(const uint8_t *record) {
#if TWF_SEVERAL
    const bool several = record[AT_GATES] > 1u;
    return record[AT_GATES] <= TWF_READING_GATES && record[AT_EXCHANGERS] <= TWF_EXCHANGERS && record[AT_SHUTTLES] <= 2u &&
           several == (record[AT_EXCHANGERS] > 0) && several == (record[AT_POCKET_PLACES] > 0) &&
           record[AT_POCKET_PLACES] <= TWF_MOST_POCKET && (!several || record[AT_GATES] * record[AT_BYPASS_CELLS] <= 16);
#else
    return record[AT_GATES] <= 1u && record[AT_SHUTTLES] <= 1u;
#endif
}

/* Whether this program has been compiled for what works at the table: motors always, people alone only where TWF_MANUAL says so. */
static bool is_worked(const uint8_t *record) {
    if (record[AT_WORKED_BY] == WORKED_BY_BOTH)
        return record[AT_BYPASS_CELLS] == 0 && record[AT_BLINDS] == 0 && record[AT_GATES] <= 1u && record[AT_SHUTTLES] <= 1u; /* the lanes' ends have the cells' inputs */
    return record[AT_WORKED_BY] == WORKED_BY_MOTORS || (TWF_MANUAL && record[AT_WORKED_BY] == WORKED_BY_PEOPLE);
}

static bool is_record(const uint8_t *record) {
    if (memcmp(record + AT_MAGIC, magic, sizeof magic) != 0)
        return false;
    if (twf_crc32(record, AT_CHECKSUM) != twf_get_u32(record + AT_CHECKSUM))
        return false;
    const uint16_t speed = twf_get_u16(record + AT_SPEED);
    return is_driven(record) && is_worked(record) && record[AT_HAND_PLACES] <= record[AT_WALL_PLACES] && record[AT_WALL_PLACES] <= record[AT_TRAY_PLACES] &&
           record[AT_TRAY_PLACES] <= TWF_MOST_PLACES && record[AT_BYPASS_CELLS] <= TWF_MOST_CELLS &&
           record[AT_SHUTTLE_QUEUE] >= 1u && record[AT_SHUTTLE_QUEUE] <= TWF_MOST_QUEUE && record[AT_TWO_HIGH] <= 1u && record[AT_BLINDS] <= 1u &&
           twf_get_u16(record + AT_GATE_PERIOD) >= 1u && speed >= LEAST_SPEED_PERCENT && speed <= MOST_SPEED_PERCENT && record[AT_STEPS] >= 1u;
}

bool twf_table_read(struct twf_table *table, const uint8_t record[TWF_RECORD_SIZE]) {
    const bool known = is_record(record);
    set_reference(table);
    if (known) {
        memcpy(table->uid, record + AT_UID, sizeof table->uid);
        table->tray_places = record[AT_TRAY_PLACES];
        table->wall_places = record[AT_WALL_PLACES];
        table->hand_places = record[AT_HAND_PLACES];
        table->bypass_cells = record[AT_BYPASS_CELLS];
        table->shuttle_queue = record[AT_SHUTTLE_QUEUE];
        table->two_high = record[AT_TWO_HIGH] != 0;
        table->gate_period_ms = twf_get_u16(record + AT_GATE_PERIOD);
        table->speed_percent = twf_get_u16(record + AT_SPEED);
        table->steps_per_position = record[AT_STEPS];
        table->lanes = record[AT_WORKED_BY] == WORKED_BY_BOTH;
        table->blinds = record[AT_BLINDS] != 0;
#if TWF_MANUAL
        table->manual = record[AT_WORKED_BY] == WORKED_BY_PEOPLE;
#endif
#if TWF_SEVERAL
        table->gates = record[AT_GATES] > 0 ? record[AT_GATES] : 1u;
        table->exchangers = record[AT_EXCHANGERS];
        table->pocket_places = record[AT_POCKET_PLACES];
        table->shuttles = record[AT_SHUTTLES] > 0 ? record[AT_SHUTTLES] : 1u;
#endif
    }
    set_rates(table);
    uint8_t caps[TWF_MOST_CAPS];
    const uint8_t size = twf_table_caps(table, caps);
    twf_sha256_start(caps, size, table->digest);
    return known;
}

uint32_t twf_boot_id(const uint8_t record[TWF_RECORD_SIZE], uint32_t boots) {
    uint8_t bytes[TWF_RECORD_SIZE + 4u];
    memcpy(bytes, record, TWF_RECORD_SIZE);
    twf_put_u32(bytes + TWF_RECORD_SIZE, boots);
    const uint32_t id = twf_crc32(bytes, sizeof bytes);
    return id != 0 ? id : UINT32_MAX;
}

uint8_t twf_table_caps(const struct twf_table *table, uint8_t payload[TWF_MOST_CAPS]) {
    const struct twf_caps caps = {
        .seats = TWF_SEATS,
        .tray_places = table->tray_places,
        .wall_places = table->wall_places,
        .hand_places = table->hand_places,
        .bypass_cells = table->bypass_cells,
        .shuttle_queue = table->shuttle_queue,
        .two_high = table->two_high,
        .answers_kept = TWF_REFERENCE_ANSWERS_KEPT,
        .events_kept = TWF_REFERENCE_EVENTS_KEPT,
        .hold_after_ms = TWF_REFERENCE_HOLD_AFTER_MS,
        .motors_off_after_ms = TWF_REFERENCE_MOTORS_OFF_AFTER_MS,
        .gate_period_ms = table->gate_period_ms,
    };
    twf_write_caps(payload, &caps);
#if TWF_SEVERAL
    if (table->gates > 1u) { /* version 4 goes on where version 3 ends */
        payload[TWF_SIZE_CAPS] = table->gates;
        payload[TWF_SIZE_CAPS + 1u] = table->exchangers;
        payload[TWF_SIZE_CAPS + 2u] = table->pocket_places;
        payload[TWF_SIZE_CAPS + 3u] = table->shuttles;
        return TWF_SIZE_CAPS_OF_GATES;
    }
#endif
    return TWF_SIZE_CAPS;
}

uint32_t twf_table_ms(const struct twf_table *table, uint32_t reference_ms) {
    return (reference_ms * 100u + table->speed_percent / 2u) / table->speed_percent;
}

uint32_t twf_table_expected_ms(const struct twf_table *table, uint8_t type) {
    const uint32_t one_tile_ms = TWF_PICK_MS + TWF_DROP_MS + 50u * table->tray_places; /* there and back at 40 positions/s */
    uint32_t ms = 0;
    switch (type) {
    case TWF_TYPE_PLACE:
    case TWF_TYPE_RELEASE:
        ms = TWF_DIVERT_MS + (table->shuttle_queue + 1u) * one_tile_ms;
#if TWF_SEVERAL
        ms += (uint32_t)table->gates * table->pocket_places * TWF_EXCHANGE_MS;
#endif
        break;
    case TWF_TYPE_RETURN:
        return twf_table_manual(table) ? TWF_MANUAL_MS : twf_table_ms(table, one_tile_ms + TWF_RETURN_MS) + table->gate_period_ms; /* which the record gives as it is here */
    case TWF_TYPE_BYPASS:
    case TWF_TYPE_REJECT:
    case TWF_TYPE_RECIRCULATE:
        ms = TWF_CELL_MS + TWF_RECIRCULATE_MS;
        break;
    case TWF_TYPE_DUMP:
        ms = TWF_DUMP_MS;
        break;
    case TWF_TYPE_RAISE:
        ms = TWF_RAISE_MS;
        break;
    case TWF_TYPE_OPEN_WELL:
    case TWF_TYPE_CLOSE_WELL:
        ms = TWF_DOOR_MS;
        break;
    case TWF_TYPE_DRIVE:
        return TWF_DRIVE_MOST_MS;
    default:
        break;
    }
    return ms > 0 && twf_table_manual(table) ? TWF_MANUAL_MS : twf_table_ms(table, ms);
}

/* From hand_places on positions stand in pairs: the first of a pair lies on the second, if there is a second. */
uint8_t twf_table_below(const struct twf_table *table, uint8_t position) {
    if (!table->two_high || position < table->hand_places || position + 1u >= table->wall_places)
        return TWF_NO_PLACE;
    return (uint8_t)(position - table->hand_places) % 2u == 0 ? (uint8_t)(position + 1u) : TWF_NO_PLACE;
}

uint8_t twf_table_above(const struct twf_table *table, uint8_t position) {
    if (position == 0)
        return TWF_NO_PLACE;
    const uint8_t above = (uint8_t)(position - 1u);
    return twf_table_below(table, above) == position ? above : TWF_NO_PLACE;
}

#if TWF_SEVERAL
/* The first position of a seat's second shuttle; no pair of a two-high tray stands across it. */
static uint8_t middle(const struct twf_table *table) {
    const uint8_t half = (uint8_t)(table->wall_places / 2u);
    return (uint8_t)(half + ((unsigned)(half + table->hand_places) & 1u));
}
#endif

uint8_t twf_table_shuttle(const struct twf_table *table, uint8_t seat, uint8_t position) {
#if TWF_SEVERAL
    if (table->shuttles > 1u && position >= middle(table))
        return (uint8_t)(TWF_SEATS + seat);
#endif
    (void)table;
    (void)position;
    return seat;
}

/* Hand places and spare ones have a column each, a pair of a two-high tray shares one. */
static uint8_t column(const struct twf_table *table, uint8_t position) {
    const uint8_t until = position < table->wall_places ? (uint8_t)(position + 1u) : table->wall_places;
    const uint8_t draws = (uint8_t)(until - table->hand_places);
    return table->two_high && position >= table->hand_places ? (uint8_t)(position - draws / 2u) : position;
}

uint8_t twf_table_way(const struct twf_table *table, uint8_t position) {
    const uint8_t to = column(table, position);
#if TWF_SEVERAL
    if (table->shuttles > 1u) {
        const uint8_t from = column(table, middle(table));
        return (uint8_t)(to < from ? from - to : to - from);
    }
#endif
    return to;
}

uint8_t twf_table_drum_lane(const struct twf_table *table) {
    return (uint8_t)(twf_table_shuttles(table) + table->bypass_cells);
}

uint8_t twf_table_reject_lane(const struct twf_table *table) {
    return (uint8_t)(twf_table_drum_lane(table) + 1u);
}

uint8_t twf_table_pocket_lane(const struct twf_table *table) {
    return (uint8_t)(twf_table_drum_lane(table) + 2u);
}

uint16_t twf_table_pulse_us(const struct twf_table *table, uint8_t lane) {
    const uint16_t last = twf_table_gates(table) > 1u ? twf_table_pocket_lane(table) : twf_table_reject_lane(table);
    return (uint16_t)(TWF_SERVO_FIRST_US + (uint16_t)(TWF_SERVO_RANGE_US * lane) / last);
}
