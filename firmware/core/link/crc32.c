#include "crc32.h"

#include "../board/flash.h"

/* Remainders of the 16 half bytes: those of all bytes would take a kilobyte of flash. */
static const uint32_t remainders[16] TWF_FLASH = {
    0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu, 0x76dc4190u, 0x6b6b51f4u, 0x4db26158u, 0x5005713cu,
    0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu, 0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu,
};

static uint32_t half(uint32_t rest, uint8_t low) {
    return (rest >> 4) ^ TWF_FLASH_U32(&remainders[((uint8_t)rest ^ low) & 15u]);
}

uint32_t twf_crc32(const uint8_t *bytes, uint8_t count) {
    uint32_t rest = 0xffffffffu;
    while (count-- > 0) {
        rest = half(rest, *bytes);
        rest = half(rest, (uint8_t)(*bytes++ >> 4));
    }
    return rest ^ 0xffffffffu;
}
