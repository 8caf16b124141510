#include "frames.h"

#include <string.h>

#include "crc32.h"

void twf_decoder_init(struct twf_decoder *decoder) {
    memset(decoder, 0, sizeof *decoder);
}

static void begin_piece(struct twf_decoder *decoder) {
    decoder->count = 0;
    decoder->left = 0;
    decoder->zero_at_end = false;
    decoder->begun = false;
    decoder->broken = false;
}

static void append(struct twf_decoder *decoder, uint8_t byte) {
    if (decoder->count == TWF_MAX_FRAME)
        decoder->broken = true;
    else
        decoder->plain[decoder->count++] = byte;
}

static bool read_plain(const uint8_t *plain, uint8_t count, struct twf_frame *frame) {
    if (count < TWF_MIN_FRAME)
        return false;
    const uint8_t checked = (uint8_t)(count - TWF_CRC_SIZE);
    if (twf_crc32(plain, checked) != twf_get_u32(plain + checked))
        return false;
    frame->version = plain[TWF_AT_VERSION];
    frame->type = plain[TWF_AT_TYPE];
    frame->seq = twf_get_u16(plain + TWF_AT_SEQ);
    frame->operation = twf_get_u32(plain + TWF_AT_OPERATION);
    frame->time_us = twf_get_u32(plain + TWF_AT_TIME);
    frame->size = (uint8_t)(checked - TWF_HEADER_SIZE);
    memcpy(frame->payload, plain + TWF_HEADER_SIZE, frame->size);
    return true;
}

static bool end_piece(struct twf_decoder *decoder, struct twf_frame *frame) {
    const bool begun = decoder->begun;
    const bool whole = begun && !decoder->broken && decoder->left == 0 && read_plain(decoder->plain, decoder->count, frame);
    begin_piece(decoder);
    if (whole)
        decoder->frames++;
    else if (begun)
        decoder->damaged++;
    return whole;
}

bool twf_decoder_take(struct twf_decoder *decoder, uint8_t byte, struct twf_frame *frame) {
    if (byte == 0)
        return end_piece(decoder, frame);
    decoder->begun = true;
    if (decoder->broken)
        return false;
    if (decoder->left > 0) {
        decoder->left--;
        append(decoder, byte);
        return false;
    }
    if (decoder->zero_at_end)
        append(decoder, 0);
    decoder->left = (uint8_t)(byte - 1u);
    decoder->zero_at_end = byte < 255u;
    return false;
}

static uint8_t write_plain(const struct twf_header *header, const uint8_t *payload, uint8_t size, uint8_t *plain) {
    plain[TWF_AT_VERSION] = header->version;
    plain[TWF_AT_TYPE] = header->type;
    twf_put_u16(plain + TWF_AT_SEQ, header->seq);
    twf_put_u32(plain + TWF_AT_OPERATION, header->operation);
    twf_put_u32(plain + TWF_AT_TIME, header->time_us);
    memcpy(plain + TWF_HEADER_SIZE, payload, size);
    const uint8_t checked = (uint8_t)(TWF_HEADER_SIZE + size);
    twf_put_u32(plain + checked, twf_crc32(plain, checked));
    return (uint8_t)(checked + TWF_CRC_SIZE);
}

/* A frame is shorter than the 254 bytes at which a COBS block would have to be split, so that stuffing moves every byte up by one
 * and puts the way to the next zero where a zero was: in place. */
void twf_encode(const struct twf_header *header, const uint8_t *payload, uint8_t size, struct twf_encoded *encoded) {
    /* cppcheck-suppress ctuuninitvar ; the address of what is to be written */
    uint8_t *bytes = encoded->bytes;
    const uint8_t count = write_plain(header, payload, size, bytes + 1);
    uint8_t code_at = 0;
    for (uint8_t at = 1; at <= count; at++) {
        if (bytes[at] != 0)
            continue;
        bytes[code_at] = (uint8_t)(at - code_at);
        code_at = at;
    }
    bytes[code_at] = (uint8_t)(count + 1u - code_at);
    bytes[count + 1u] = 0;
    encoded->count = (uint8_t)(count + 2u);
}
