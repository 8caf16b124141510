#include "sha256.h"

#include <string.h>

#include "../board/flash.h"

static const uint32_t round_constants[64] TWF_FLASH = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u,
};

static const uint32_t start_values[8] TWF_FLASH = {
    0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u,
};

static uint32_t rotated(uint32_t word, uint8_t by) {
    return (word >> by) | (word << (32u - by));
}

/* The sixteen words of the block are overwritten by the words that follow them, round by round. */
static uint32_t next_word(uint32_t words[16], uint8_t round) {
    if (round < 16u)
        return words[round];
    const uint32_t before15 = words[(round + 1u) % 16u];
    const uint32_t before2 = words[(round + 14u) % 16u];
    words[round % 16u] += (rotated(before15, 7) ^ rotated(before15, 18) ^ (before15 >> 3)) + words[(round + 9u) % 16u] +
                          (rotated(before2, 17) ^ rotated(before2, 19) ^ (before2 >> 10));
    return words[round % 16u];
}

void twf_sha256_start(const uint8_t *bytes, uint8_t count, uint8_t digest[8]) {
    uint32_t words[16] = {0};
    uint32_t state[8];
    for (uint8_t i = 0; i < 64u; i++)
        words[i / 4u] = words[i / 4u] << 8 | (i < count ? bytes[i] : i == count ? 0x80u : 0u);
    words[15] = 8u * (uint32_t)count;
    for (uint8_t i = 0; i < 8u; i++)
        state[i] = TWF_FLASH_U32(&start_values[i]);
    for (uint8_t round = 0; round < 64u; round++) {
        const uint32_t a = state[0];
        const uint32_t e = state[4];
        const uint32_t first = state[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & state[5]) ^ (~e & state[6])) +
                               TWF_FLASH_U32(&round_constants[round]) + next_word(words, round);
        const uint32_t second =
            (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & state[1]) ^ (a & state[2]) ^ (state[1] & state[2]));
        memmove(&state[1], &state[0], 7u * sizeof state[0]);
        state[4] += first;
        state[0] = first + second;
    }
    for (uint8_t i = 0; i < 8u; i++)
        digest[i] = (uint8_t)((state[i / 4u] + TWF_FLASH_U32(&start_values[i / 4u])) >> (24u - 8u * (i % 4u)));
}
