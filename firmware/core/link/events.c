#include "events.h"

#include <string.h>

void twf_events_init(struct twf_events *events) {
    memset(events, 0, sizeof *events);
    events->oldest = 1;
}

static struct twf_event *at(struct twf_events *events, uint8_t index) {
    return &events->event[(uint8_t)(events->first + index) % TWF_EVENTS_ROOM];
}

static const struct twf_event *kept_at(const struct twf_events *events, uint8_t index) {
    return &events->event[(uint8_t)(events->first + index) % TWF_EVENTS_ROOM];
}

static bool is_state(uint8_t type) {
    return type == TWF_TYPE_WELL || type == TWF_TYPE_LID || type == TWF_TYPE_ESTOP;
}

/* The latest of the waiting events of this type, NULL if there is none. */
static struct twf_event *latest_waiting(struct twf_events *events, uint8_t type) {
    for (uint8_t index = events->count; index > TWF_EVENTS_KEPT; index--)
        if (at(events, (uint8_t)(index - 1u))->type == type)
            return at(events, (uint8_t)(index - 1u));
    return NULL;
}

void twf_events_add(struct twf_events *events, const struct twf_event *event) {
    if (events->count < TWF_EVENTS_ROOM) {
        *at(events, events->count++) = *event;
        return;
    }
    struct twf_event *latest = is_state(event->type) ? latest_waiting(events, event->type) : NULL;
    if (latest != NULL)
        *latest = *event;
    else
        events->lost = true;
}

void twf_events_acknowledge(struct twf_events *events, uint32_t number) {
    const uint8_t kept = twf_events_kept(events);
    if (number < events->oldest)
        return;
    const uint32_t covered = number - events->oldest + 1u;
    const uint8_t gone = covered < kept ? (uint8_t)covered : kept;
    events->first = (uint8_t)((uint8_t)(events->first + gone) % TWF_EVENTS_ROOM);
    events->count = (uint8_t)(events->count - gone);
    events->oldest += gone;
    if (events->sent + 1u < events->oldest)
        events->sent = events->oldest - 1u;
}

uint8_t twf_events_kept(const struct twf_events *events) {
    return events->count < TWF_EVENTS_KEPT ? events->count : (uint8_t)TWF_EVENTS_KEPT;
}

bool twf_events_have_room(const struct twf_events *events) {
    return events->count < TWF_EVENTS_KEPT;
}

bool twf_events_concern_gate(const struct twf_events *events, uint8_t seat) {
    for (uint8_t index = 0; index < events->count; index++) {
        const struct twf_event *event = kept_at(events, index);
        if ((event->type == TWF_TYPE_DRAWN || event->type == TWF_TYPE_PUT_BACK) && event->first == seat)
            return true;
    }
    return false;
}

uint8_t twf_events_write(const struct twf_events *events, uint8_t index, bool several, uint8_t payload[TWF_MOST_EVENT_PAYLOAD],
                         uint8_t *size) {
    const struct twf_event *event = kept_at(events, index);
    twf_put_u32(payload, events->oldest + index);
    switch (event->type) {
    case TWF_TYPE_TILE_AT_GATE: {
        const uint8_t edges = several ? (uint8_t)(event->first & 63u) : event->first;
        const struct twf_tile_at_gate tile = {events->oldest + index, event->width, edges, event->second, event->operation};
        twf_write_tile_at_gate(payload, &tile);
        *size = TWF_SIZE_TILE_AT_GATE;
        if (several)
            payload[(*size)++] = event->first >> 6u; /* version 4 goes on with the gate */
        break;
    }
    case TWF_TYPE_FAULT: {
        const struct twf_fault fault = {events->oldest + index, event->first, event->second, event->operation};
        twf_write_fault(payload, &fault);
        *size = TWF_SIZE_FAULT;
        break;
    }
    default: /* one or two bytes behind the number */
        payload[4] = event->first;
        payload[5] = event->second;
        *size = event->type == TWF_TYPE_TAKEN || event->type == TWF_TYPE_WELL ? TWF_SIZE_TAKEN : TWF_SIZE_DRAWN;
        break;
    }
    return event->type;
}
