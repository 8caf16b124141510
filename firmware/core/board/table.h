/* The table that this board is built into: identity, sizes and speed from its record (BOARD.md, "Memory of the table"),
 * and what follows from them: CAPS with its digest, expected times, step rates.
 */
#ifndef TWF_TABLE_H
#define TWF_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "../link/twf_layout.h"
#include "board.h"

#define TWF_RECORD_SIZE 40u

/* Times of the reference table at speed 1, in milliseconds. */
#define TWF_TURN_MS 60u         /* the diverter, from any lane to any other */
#define TWF_CLEAR_MS 100u       /* from EJECT until the window is empty */
#define TWF_DIVERT_MS 250u      /* from EJECT to a chute, a cell or the reject cell */
#define TWF_RECIRCULATE_MS 500u /* from EJECT to the drum */
#define TWF_CELL_MS 400u        /* from EJECT, or a cell, to the barrier of any lane but the drum's: the slowest of 2,000 tiles in 0.554 s */
#define TWF_FREED_MS 300u       /* the same, of a tile that has been loosened */
#define TWF_PICK_MS 300u
#define TWF_DROP_MS 300u
#define TWF_DUMP_MS 1500u
#define TWF_RAISE_MS 3000u
#define TWF_DOOR_MS 500u
#define TWF_PURGE_MS 1000u
#define TWF_EXCHANGE_MS 550u /* an exchanger, from pocket to chute */
#define TWF_WAY_MS 925u      /* a carriage along a whole tray */
#define TWF_FIND_MS 2600u    /* a carriage along a whole tray to its end switch, */
#define TWF_SLOWLY_MS 400u   /* and there, however fast a machine is, slowly */
#define TWF_LOOSEN_MS 2000u  /* a part that is stuck is moved to and fro once */
#define TWF_NEXT_TILE_MS 12000u /* the next tile, from the last one in the drum: half of them come within 700 ms */
#define TWF_SOON_MS 5000u       /* the next tile of a drum that is quick and far from empty */
#define TWF_QUICK_MS 500u       /* and what is quick */
#define TWF_DRUM_MS 2000u       /* until the drum's monitor has seen it turn, or stand */
#define TWF_RESTS_MS 5000u      /* a window that has been full for so long has further tiles behind it */
#define TWF_RETURN_MS 4000u     /* a returned tile, from the mouth to the barrier before the gate, while the belts run: 1 s at least, */
#define TWF_EMPTIED_MS 4300u    /* and none is on this way any more */
#define TWF_LASTS_MS 20u        /* for so long it is there at least */
#define TWF_BEFORE_MS 500u      /* so that a tile which comes to rest sooner is one of the drum's */

/* What is told of a person's work: a day. */
#define TWF_MANUAL_MS 86400000u

struct twf_table {
    uint8_t uid[8];
    uint8_t tray_places;
    uint8_t wall_places;
    uint8_t hand_places;
    uint8_t bypass_cells;
    uint8_t shuttle_queue;
    bool two_high;
    uint16_t gate_period_ms;
    uint16_t speed_percent;
    uint8_t steps_per_position;
    bool blinds; /* before the draws, each with a shutter and a bolt, and no rear gates */
    bool lanes; /* a gate, a diverter and a lane to each seat, from whose end people take the tiles */
    uint16_t cruise_rate; /* the fastest a carriage goes, in 65536ths of a step per tick */
    uint16_t ramp_rate;   /* how much its rate changes each millisecond */
    uint8_t digest[8];    /* of CAPS */
#if TWF_MANUAL
    bool manual; /* people do what motors would */
#endif
#if TWF_SEVERAL
    uint8_t gates;
    uint8_t exchangers;
    uint8_t pocket_places;
    uint8_t shuttles; /* of a seat: one that begins at position 0, or two that begin in the middle */
#endif
};

/* How many gates and shuttles (or lanes in their place) there are, and the version of the protocol that tells them. */
static inline uint8_t twf_table_gates(const struct twf_table *table) {
#if TWF_SEVERAL
    return table->gates;
#else
    (void)table;
    return 1;
#endif
}

static inline uint8_t twf_table_shuttles(const struct twf_table *table) {
#if TWF_SEVERAL
    return (uint8_t)(TWF_SEATS * table->shuttles);
#else
    (void)table;
    return TWF_SEATS;
#endif
}

/* Whether people do what motors would: nothing that they do is late, and they move tiles without being told to. */
static inline bool twf_table_manual(const struct twf_table *table) {
#if TWF_MANUAL
    return table->manual;
#else
    (void)table;
    return false;
#endif
}

/* Draw gates and rear gates. */
static inline uint8_t twf_table_locks(const struct twf_table *table) {
    return (uint8_t)(table->blinds ? TWF_REAR_GATE : TWF_GATES);
}

static inline uint8_t twf_table_version(const struct twf_table *table) {
    return (uint8_t)(twf_table_gates(table) > 1u ? TWF_VERSION_OF_GATES : TWF_VERSION);
}

/* The gate whose diverter leads to a seat, or to a bypass cell; the shuttle that serves a position, and how far it lies from the
 * shuttle's mouth, in columns: both tiles of a pair of a two-high tray are in one. */
static inline uint8_t twf_table_gate_of_seat(const struct twf_table *table, uint8_t seat) {
    return (uint8_t)((unsigned)seat * twf_table_gates(table) / TWF_SEATS);
}

static inline uint8_t twf_table_gate_of_cell(const struct twf_table *table, uint8_t cell) {
    return (uint8_t)(twf_table_gates(table) > 1u && table->bypass_cells > 0 ? cell / table->bypass_cells : 0);
}

uint8_t twf_table_shuttle(const struct twf_table *table, uint8_t seat, uint8_t position);
uint8_t twf_table_way(const struct twf_table *table, uint8_t position);

/* Read a record; a blank, damaged or impossible one gives the reference table and false. */
bool twf_table_read(struct twf_table *table, const uint8_t record[TWF_RECORD_SIZE]);

/* Where the boots of a board are counted in its memory, behind the record. */
#define TWF_BOOTS_AT 64u
/* And behind them a byte that is 0 from BRING_UP until CLEAR of STOP: a board that starts meanwhile stands. */
#define TWF_UNFINISHED_AT 68u
/* And `struct twf_kept`, 255 each while it is not known. */
#define TWF_KEPT_AT 69u

/* The id of a board's boot, given how many there have been: no two boots of a table have the same, and none has 0. */
uint32_t twf_boot_id(const uint8_t record[TWF_RECORD_SIZE], uint32_t boots);

/* CAPS as it is told, and how many bytes it is. */
#define TWF_MOST_CAPS TWF_SIZE_CAPS_OF_GATES
uint8_t twf_table_caps(const struct twf_table *table, uint8_t payload[TWF_MOST_CAPS]);

/* A time of the reference table as it is on this one, rounded. */
uint32_t twf_table_ms(const struct twf_table *table, uint32_t reference_ms);

/* How long an operation takes at most when nothing disturbs it. */
uint32_t twf_table_expected_ms(const struct twf_table *table, uint8_t type);

/* The place under or over a position of a two-high tray, TWF_NO_PLACE if there is none. */
#define TWF_NO_PLACE 255u
uint8_t twf_table_below(const struct twf_table *table, uint8_t position);
uint8_t twf_table_above(const struct twf_table *table, uint8_t position);

/* How many lanes the diverter has, and the length of its pulse for one of them. */
uint8_t twf_table_drum_lane(const struct twf_table *table);
uint8_t twf_table_reject_lane(const struct twf_table *table);
uint8_t twf_table_pocket_lane(const struct twf_table *table);
uint16_t twf_table_pulse_us(const struct twf_table *table, uint8_t lane);

#endif
