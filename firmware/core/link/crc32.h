/* CRC-32 of zlib and Ethernet: reflected, polynomial 0x04C11DB7, start and final XOR 0xFFFFFFFF. */
#ifndef TWF_CRC32_H
#define TWF_CRC32_H

#include <stdint.h>

uint32_t twf_crc32(const uint8_t *bytes, uint8_t count);

#endif
