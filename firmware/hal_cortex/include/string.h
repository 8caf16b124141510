/* The few functions of <string.h> that the core uses, for a compiler that comes without a C library. */
#ifndef TWF_CORTEX_STRING_H
#define TWF_CORTEX_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count);
void *memmove(void *to, const void *from, size_t count);
void *memset(void *to, int value, size_t count);
int memcmp(const void *one, const void *other, size_t count);

#endif
