/* SHA-256 (FIPS 180-4) of a message that fits one block: the digest of CAPS is all that the firmware needs it for. */
#ifndef TWF_SHA256_H
#define TWF_SHA256_H

#include <stdint.h>

#define TWF_SHA256_MOST 55u

/* The first eight bytes of the digest of `count` bytes, TWF_SHA256_MOST at most. */
void twf_sha256_start(const uint8_t *bytes, uint8_t count, uint8_t digest[8]);

#endif
