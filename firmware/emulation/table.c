#define _GNU_SOURCE
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    AXES_EVERY_US = 10000,
    KEEP_DISTANCE_US = 100000,
    GREETING_MS = 5000
};

int64_t table_clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static bool complain(const char *what)
{
    fprintf(stderr, "board: %s\n", what);
    return false;
}

static void set_input(struct table *table, uint16_t bit, bool level)
{
    const uint8_t mask = (uint8_t)(1u << (bit % 8u));
    if (level)
        table->input[bit / 8u] = (uint8_t)(table->input[bit / 8u] | mask);
    else
        table->input[bit / 8u] = (uint8_t)(table->input[bit / 8u] & (uint8_t)~mask);
}

bool table_input(const struct table *table, uint16_t bit)
{
    return (table->input[bit / 8u] >> (bit % 8u) & 1u) != 0;
}

static void set_home_switches(struct table *table)
{
    for (unsigned axis = 0; axis < TABLE_AXES; axis++)
        set_input(table, (uint16_t)table->home_bit[axis], table->position[axis] <= 0);
}

static int hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

static bool take_image(struct table *table, const char *hex)
{
    const size_t bytes = strlen(hex) / 2;
    if (bytes > sizeof table->input)
        return complain("the physics knows more inputs than any board has");
    for (size_t byte = 0; byte < bytes; byte++) {
        const int high = hex_digit(hex[2 * byte]);
        const int low = hex_digit(hex[2 * byte + 1]);
        if (high < 0 || low < 0)
            return complain("the physics sent an image that is not hexadecimal");
        table->input[byte] = (uint8_t)(high * 16 + low);
    }
    table->input_bits = 8 * bytes;
    table->changes = 0;
    set_home_switches(table);
    return true;
}

/* The changes form a heap, the earliest first; equal times in the order in which they came. */
static bool earlier(const struct table_change *one, const struct table_change *other)
{
    return one->at_us != other->at_us ? one->at_us < other->at_us : one->order < other->order;
}

static void push_change(struct table *table, struct table_change change)
{
    size_t at = table->changes++;
    while (at > 0 && earlier(&change, &table->change[(at - 1) / 2])) {
        table->change[at] = table->change[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    table->change[at] = change;
}

static struct table_change pop_change(struct table *table)
{
    const struct table_change first = table->change[0];
    const struct table_change last = table->change[--table->changes];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= table->changes)
            break;
        if (child + 1 < table->changes && earlier(&table->change[child + 1], &table->change[child]))
            child++;
        if (!earlier(&table->change[child], &last))
            break;
        table->change[at] = table->change[child];
        at = child;
    }
    table->change[at] = last;
    return first;
}

static bool plan_change(struct table *table, int64_t meant_us, uint16_t bit, bool level, int64_t now_us)
{
    struct table_line *line = &table->line[bit];
    const int64_t distance_us = meant_us - line->meant_us;
    int64_t at_us = meant_us > now_us ? meant_us : now_us;
    if (distance_us < KEEP_DISTANCE_US && at_us < line->took_us + distance_us)
        at_us = line->took_us + distance_us;
    if (table->changes == TABLE_MOST_CHANGES)
        return complain("the physics plans more changes than there is room for");
    *line = (struct table_line){meant_us, at_us};
    push_change(table, (struct table_change){at_us, table->order++, bit, level});
    return true;
}

static bool take_line(struct table *table, const char *text, int64_t now_us)
{
    int64_t at_us;
    unsigned bit, level;
    if (sscanf(text, "i %" SCNd64 " %u %u", &at_us, &bit, &level) == 3)
        return bit < table->input_bits ? plan_change(table, at_us, (uint16_t)bit, level != 0, now_us)
                                       : complain("the physics named an input that this board has not got");
    if (sscanf(text, "TWP 1 %lf %" SCNd32 " %" SCNd32 " %" SCNd32 " %" SCNd32 " %" SCNd32 " %" SCNd32, &table->speed,
               &table->steps_per_position, &table->most_steps, &table->position[0], &table->position[1], &table->position[2],
               &table->position[3]) == 7)
        return true;
    const char *image = text[0] == 'I' && text[1] == ' ' ? strchr(text + 2, ' ') : NULL;
    if (image != NULL)
        return take_image(table, image + 1);
    return complain("the physics sent a line that PHYSICS.md does not know");
}

bool table_receive(struct table *table, int64_t now_us)
{
    for (;;) {
        const ssize_t got = recv(table->fd, table->buffer + table->pending, sizeof table->buffer - table->pending - 1, MSG_DONTWAIT);
        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        if (got == 0)
            return false;
        table->pending += (size_t)got;
        table->buffer[table->pending] = '\0';
        char *begin = table->buffer;
        for (char *end; (end = strchr(begin, '\n')) != NULL; begin = end + 1) {
            *end = '\0';
            if (!take_line(table, begin, now_us))
                return false;
        }
        table->pending -= (size_t)(begin - table->buffer);
        memmove(table->buffer, begin, table->pending);
        if (table->pending == sizeof table->buffer - 1)
            return complain("the physics sent a line without an end");
    }
}

bool table_connect(struct table *table, const char *path, const int16_t home_bits[TABLE_AXES], size_t output_bits)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memset(table, 0, sizeof *table);
    memcpy(table->home_bit, home_bits, sizeof table->home_bit);
    table->output_bytes = (output_bits + 7) / 8;
    if (strlen(path) >= sizeof address.sun_path)
        return complain("the path of the physics' socket is too long: 107 characters at most");
    strcpy(address.sun_path, path);
    table->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (table->fd < 0 || connect(table->fd, (struct sockaddr *)&address, sizeof address) != 0) {
        fprintf(stderr, "board: no physics at %s: %s\n", path, strerror(errno));
        return false;
    }
    while (table->input_bits == 0) {
        struct pollfd readable = {.fd = table->fd, .events = POLLIN};
        if (poll(&readable, 1, GREETING_MS) <= 0 || !table_receive(table, table_clock_us()))
            return complain("the physics did not say what the table is like");
    }
    return true;
}

bool table_advance(struct table *table, int64_t now_us)
{
    bool any = false;
    while (table->changes > 0 && table->change[0].at_us <= now_us) {
        const struct table_change change = pop_change(table);
        set_input(table, change.bit, change.level);
        any = true;
    }
    return any;
}

int64_t table_next_us(const struct table *table)
{
    return table->changes > 0 ? table->change[0].at_us : INT64_MAX;
}

void table_step(struct table *table, unsigned axis, bool outward, bool powered)
{
    const int32_t to = table->position[axis] + (outward ? 1 : -1);
    if (!powered || to < 0 || to > table->most_steps)
        return;
    table->position[axis] = to;
    table->moved = true;
    set_input(table, (uint16_t)table->home_bit[axis], to == 0);
}

/* The physics reads all the time; when it has gone, table_receive says so. */
static void tell(struct table *table, const char *text, int length)
{
    size_t sent = 0;
    while (sent < (size_t)length) {
        const ssize_t more = send(table->fd, text + sent, (size_t)length - sent, MSG_NOSIGNAL);
        if (more < 0 && errno != EINTR)
            return;
        sent += more > 0 ? (size_t)more : 0;
    }
}

static int print_axes(struct table *table, char *text, size_t room, int64_t now_us)
{
    table->moved = false;
    table->told_us = now_us;
    return snprintf(text, room, "A %" PRId64 " %" PRId32 " %" PRId32 " %" PRId32 " %" PRId32 "\n", now_us, table->position[0],
                    table->position[1], table->position[2], table->position[3]);
}

void table_outputs(struct table *table, const uint8_t *image, int64_t now_us)
{
    char text[160 + TABLE_MOST_OUTPUTS / 4];
    int length = 0;
    if (memcmp(image, table->output, table->output_bytes) == 0)
        return;
    memcpy(table->output, image, table->output_bytes);
    if (table->moved)
        length = print_axes(table, text, sizeof text, now_us);
    length += snprintf(text + length, sizeof text - (size_t)length, "O %" PRId64 " ", now_us);
    for (size_t byte = 0; byte < table->output_bytes; byte++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%02x", image[byte]);
    text[length++] = '\n';
    tell(table, text, length);
}

void table_servo(struct table *table, uint32_t pulse_us, int64_t now_us)
{
    char text[64];
    tell(table, text, snprintf(text, sizeof text, "S %" PRId64 " %" PRIu32 "\n", now_us, pulse_us));
}

void table_tell_axes(struct table *table, int64_t now_us)
{
    char text[96];
    if (table->moved && now_us - table->told_us >= AXES_EVERY_US)
        tell(table, text, print_axes(table, text, sizeof text, now_us));
}
