/* TWF frames on a byte stream: header, CRC-32, COBS (PROTOCOL.md, "Bytes").
 *
 * The decoder takes bytes one by one and holds one frame's worth at most; what is damaged is counted and skipped. What
 * a payload means is left to the feeder.
 */
#ifndef TWF_FRAMES_H
#define TWF_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "twf_layout.h"

struct twf_frame {
    uint8_t version;
    uint8_t type;
    uint8_t size;
    uint16_t seq;
    uint32_t operation;
    uint32_t time_us;
    uint8_t payload[TWF_MAX_PAYLOAD];
};

/* What stands before a payload that is sent; the CRC is added. */
struct twf_header {
    uint8_t version;
    uint8_t type;
    uint16_t seq;
    uint32_t operation;
    uint32_t time_us;
};

struct twf_decoder {
    uint8_t plain[TWF_MAX_FRAME];
    uint8_t count;
    uint8_t left;         /* bytes of the present COBS block that are still to come */
    bool zero_at_end;     /* a zero belongs behind the present block if another follows */
    bool begun;           /* something has come since the last delimiter */
    bool broken;          /* this piece is skipped to its delimiter */
    uint16_t frames;
    uint16_t damaged;
};

/* A frame on its way to the line: TWF_MAX_ENCODED bytes, the delimiter behind them, and how many they are. */
struct twf_encoded {
    uint8_t bytes[TWF_MAX_ENCODED + 1u];
    uint8_t count;
};

/* Forget an unfinished frame; the counters begin at 0. */
void twf_decoder_init(struct twf_decoder *decoder);

/* Take a byte; true when it has completed an intact frame, which is then in `frame`. */
bool twf_decoder_take(struct twf_decoder *decoder, uint8_t byte, struct twf_frame *frame);

/* Write a frame as it goes over the line, delimiter and all; TWF_MAX_PAYLOAD bytes of payload at most. */
void twf_encode(const struct twf_header *header, const uint8_t *payload, uint8_t size, struct twf_encoded *encoded);

#endif
