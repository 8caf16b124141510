#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
    unsigned char *out = to;
    const unsigned char *in = from;
    while (count-- > 0)
        *out++ = *in++;
    return to;
}

void *memmove(void *to, const void *from, size_t count) {
    unsigned char *out = to;
    const unsigned char *in = from;
    if (out <= in)
        return memcpy(to, from, count);
    while (count-- > 0)
        out[count] = in[count];
    return to;
}

void *memset(void *to, int value, size_t count) {
    unsigned char *out = to;
    while (count-- > 0)
        *out++ = (unsigned char)value;
    return to;
}

int memcmp(const void *one, const void *other, size_t count) {
    const unsigned char *left = one;
    const unsigned char *right = other;
    for (; count > 0; count--, left++, right++)
        if (*left != *right)
            return *left < *right ? -1 : 1;
    return 0;
}
