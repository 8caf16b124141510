/* Numbered events, kept until the host has acknowledged them (PROTOCOL.md, rule 6).
 *
 * Numbers rise by one, so the oldest number and the order tell every event's. 32 are kept and may be sent; what finds no
 * room waits behind them, unsent and without a number that anybody knows, and holds feeding.
 */
#ifndef TWF_EVENTS_H
#define TWF_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "twf_layout.h"

#define TWF_EVENTS_KEPT TWF_REFERENCE_EVENTS_KEPT
/* All hand places may be emptied at once; what changes again and again needs one place each. */
#define TWF_EVENTS_WAITING 40u
#define TWF_EVENTS_ROOM (TWF_EVENTS_KEPT + TWF_EVENTS_WAITING)
#define TWF_MOST_EVENT_PAYLOAD TWF_SIZE_TILE_AT_GATE_OF_GATES

/* One event without its number: `first` and `second` are its bytes (WELL's count, low and high; FAULT's code and place),
 * `width` and `operation` those of TILE_AT_GATE and FAULT. */
struct twf_event {
    uint8_t type;
    uint8_t first;
    uint8_t second;
    uint16_t width;
    uint32_t operation;
};

struct twf_events {
    struct twf_event event[TWF_EVENTS_ROOM];
    uint8_t first; /* index of the oldest */
    uint8_t count;
    uint32_t oldest; /* number of the oldest, or of the next if there is none */
    uint32_t sent;   /* highest number that has been sent */
    bool lost;       /* one found no room at all; until a person clears TWF_FAULT_INTERNAL */
};

void twf_events_init(struct twf_events *events);

/* Keep an event. When even the waiting ones have no room, a state that changes again and again keeps only its latest news. */
void twf_events_add(struct twf_events *events, const struct twf_event *event);

/* Forget every event up to and including this number. */
void twf_events_acknowledge(struct twf_events *events, uint32_t number);

/* How many are numbered and kept, 32 at most. */
uint8_t twf_events_kept(const struct twf_events *events);

/* Whether another event could be kept; feeding rests while not. */
bool twf_events_have_room(const struct twf_events *events);

/* Whether DRAWN or PUT_BACK of a seat is kept. */
bool twf_events_concern_gate(const struct twf_events *events, uint8_t seat);

/* Write kept event `index` (0 is the oldest): its type comes back, its payload and its size are filled. */
uint8_t twf_events_write(const struct twf_events *events, uint8_t index, bool several, uint8_t payload[TWF_MOST_EVENT_PAYLOAD],
                         uint8_t *size);

#endif
