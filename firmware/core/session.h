/* What one boot of the firmware holds: the table, the line, and the session with the host. */
#ifndef TWF_SESSION_H
#define TWF_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "link/answers.h"
#include "link/frames.h"
#include "machine.h"

struct twf_identity {
    uint32_t boot_id;          /* another one at each boot, not 0 */
    uint8_t reset_reason;
    uint8_t firmware_digest[8];
    bool unfinished; /* in a bring-up when the board lost its power, as its memory says */
    struct twf_kept kept; /* and so this; it has to be kept as `machine` has it */
};

struct twf_feeder {
    struct twf_machine machine; /* first: what ends there is told here */
    struct twf_identity identity;
    struct twf_decoder decoder;
    struct twf_answers answers;
    uint32_t scanned_us; /* when the inputs were read last */
    uint32_t counted_us; /* up to when milliseconds have been counted */
    uint32_t heard_ms;
    uint32_t repeat_ms;   /* when events are sent again */
    uint32_t repeat_next; /* number of the next of them, while they are */
    uint8_t repeat_left;
    uint16_t seq;
    uint16_t snapshot;
    bool repeating;
    bool session;
};

/* Whether the host has not been heard for so long; for so long that nothing new begins. */
bool twf_session_silent(const struct twf_feeder *feeder, uint32_t for_ms);
bool twf_session_holding(const struct twf_feeder *feeder);

/* What the firmware as a whole is doing (TWF_STATE_*). */
uint8_t twf_session_state(const struct twf_feeder *feeder);

#endif
