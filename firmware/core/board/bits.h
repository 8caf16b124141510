/* Single bits of bytes, without the surprises of C's promotions. */
#ifndef TWF_BITS_H
#define TWF_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool twf_bit(uint8_t byte, uint8_t number) {
    return ((unsigned)byte >> number & 1u) != 0;
}

static inline uint8_t twf_mask(uint8_t number) {
    return (uint8_t)(1u << number);
}

/* Bit `number` of a row of bytes. */
static inline bool twf_bit_of(const uint8_t *bytes, uint16_t number) {
    return twf_bit(bytes[number / 8u], (uint8_t)(number % 8u));
}

#endif
