#define _GNU_SOURCE
#include "physics.h"

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
    ASK_EVERY_US = 10000,
    MOST_AHEAD_US = 2000,
    WAIT_MS = 10,
    GREETING_MS = 5000
};

int64_t physics_clock_us(void)
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

static void set_input(struct physics *physics, uint16_t bit, bool level)
{
    const uint8_t mask = (uint8_t)(1u << (bit % 8u));
    if (level)
        physics->input[bit / 8u] = (uint8_t)(physics->input[bit / 8u] | mask);
    else
        physics->input[bit / 8u] = (uint8_t)(physics->input[bit / 8u] & (uint8_t)~mask);
}

bool physics_input(const struct physics *physics, uint16_t bit)
{
    return (physics->input[bit / 8u] >> (bit % 8u) & 1u) != 0;
}

/* Of an end switch and a place flag the physics only says whether its plug is in. */
static void take_input(struct physics *physics, uint16_t bit, bool level)
{
    for (unsigned axis = 0; axis < PHYSICS_AXES; axis++) {
        if (bit == (uint16_t)physics->home_bit[axis])
            physics->stop[axis].unplugged = !level;
        if (bit == (uint16_t)physics->place_bit[axis])
            physics->stop[axis].flagless = !level;
    }
    set_input(physics, bit, level);
}

void physics_look_at_end_stops(struct physics *physics, int64_t now_us)
{
    for (unsigned axis = 0; axis < PHYSICS_AXES; axis++) {
        set_input(physics, (uint16_t)physics->home_bit[axis], end_stop_reads(&physics->stop[axis], (uint64_t)now_us));
        set_input(physics, (uint16_t)physics->place_bit[axis], end_stop_at_place(&physics->stop[axis], physics->steps_per_position));
    }
}

static int hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

static bool take_image(struct physics *physics, const char *hex)
{
    const size_t bytes = strlen(hex) / 2;
    if (bytes > sizeof physics->input)
        return complain("the physics knows more inputs than any board has");
    for (size_t byte = 0; byte < bytes; byte++) {
        const int high = hex_digit(hex[2 * byte]);
        const int low = hex_digit(hex[2 * byte + 1]);
        if (high < 0 || low < 0)
            return complain("the physics sent an image that is not hexadecimal");
        physics->input[byte] = (uint8_t)(high * 16 + low);
    }
    physics->input_bits = 8 * bytes;
    physics->changes = 0;
    for (unsigned axis = 0; axis < PHYSICS_AXES; axis++) {
        take_input(physics, (uint16_t)physics->home_bit[axis], physics_input(physics, (uint16_t)physics->home_bit[axis]));
        take_input(physics, (uint16_t)physics->place_bit[axis], physics_input(physics, (uint16_t)physics->place_bit[axis]));
    }
    return true;
}

/* The changes form a heap, the earliest first; equal times in the order in which they came. */
static bool earlier(const struct physics_change *one, const struct physics_change *other)
{
    return one->at_us != other->at_us ? one->at_us < other->at_us : one->order < other->order;
}

static void push_change(struct physics *physics, struct physics_change change)
{
    size_t at = physics->changes++;
    while (at > 0 && earlier(&change, &physics->change[(at - 1) / 2])) {
        physics->change[at] = physics->change[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    physics->change[at] = change;
}

static struct physics_change pop_change(struct physics *physics)
{
    const struct physics_change first = physics->change[0];
    const struct physics_change last = physics->change[--physics->changes];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= physics->changes)
            break;
        if (child + 1 < physics->changes && earlier(&physics->change[child + 1], &physics->change[child]))
            child++;
        if (!earlier(&physics->change[child], &last))
            break;
        physics->change[at] = physics->change[child];
        at = child;
    }
    physics->change[at] = last;
    return first;
}

static bool plan_change(struct physics *physics, int64_t at_us, uint16_t bit, bool level)
{
    if (physics->changes == PHYSICS_MOST_CHANGES)
        return complain("the physics plans more changes than there is room for");
    push_change(physics, (struct physics_change){at_us, physics->order++, bit, level});
    return true;
}

static void take_answer(struct physics *physics, int64_t come_us, int64_t due_us)
{
    physics->asked = physics->asked && come_us < physics->asked_us;
    physics->due_us = due_us < 0 ? INT64_MAX : due_us;
}

static bool take_line(struct physics *physics, const char *text)
{
    int64_t at_us, due_us;
    unsigned bit, level;
    int32_t position[PHYSICS_AXES];
    if (sscanf(text, "i %" SCNd64 " %u %u", &at_us, &bit, &level) == 3)
        return bit < physics->input_bits ? plan_change(physics, at_us, (uint16_t)bit, level != 0)
                                         : complain("the physics named an input that this board has not got");
    if (sscanf(text, "T %" SCNd64 " %" SCNd64, &at_us, &due_us) == 2) {
        take_answer(physics, at_us, due_us);
        return true;
    }
    if (sscanf(text, "TWP 1 %lf %" SCNd32 " %" SCNd32 " %" SCNd32 " %" SCNd32 " %" SCNd32 " %" SCNd32, &physics->speed,
               &physics->steps_per_position, &physics->most_steps, &position[0], &position[1], &position[2], &position[3]) == 7) {
        for (unsigned axis = 0; axis < PHYSICS_AXES; axis++)
            physics->stop[axis] = end_stop_at(position[axis], (uint32_t)physics_clock_us() + axis);
        return true;
    }
    const char *image = text[0] == 'I' && text[1] == ' ' ? strchr(text + 2, ' ') : NULL;
    if (image != NULL)
        return take_image(physics, image + 1);
    return complain("the physics sent a line that PHYSICS.md does not know");
}

bool physics_receive(struct physics *physics)
{
    for (;;) {
        const ssize_t got = recv(physics->fd, physics->buffer + physics->pending, sizeof physics->buffer - physics->pending - 1, MSG_DONTWAIT);
        if (got < 0)
            return errno == EAGAIN || errno == EINTR;
        if (got == 0)
            return false;
        physics->pending += (size_t)got;
        physics->buffer[physics->pending] = '\0';
        char *begin = physics->buffer;
        for (char *end; (end = strchr(begin, '\n')) != NULL; begin = end + 1) {
            *end = '\0';
            if (!take_line(physics, begin))
                return false;
        }
        physics->pending -= (size_t)(begin - physics->buffer);
        memmove(physics->buffer, begin, physics->pending);
        if (physics->pending == sizeof physics->buffer - 1)
            return complain("the physics sent a line without an end");
    }
}

bool physics_connect(struct physics *physics, const char *path, const int16_t home_bits[2 * PHYSICS_AXES], size_t output_bits)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memset(physics, 0, sizeof *physics);
    memcpy(physics->home_bit, home_bits, sizeof physics->home_bit);
    memcpy(physics->place_bit, home_bits + PHYSICS_AXES, sizeof physics->place_bit);
    physics->output_bytes = (output_bits + 7) / 8;
    if (strlen(path) >= sizeof address.sun_path)
        return complain("the path of the physics' socket is too long: 107 characters at most");
    strcpy(address.sun_path, path);
    physics->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (physics->fd < 0 || connect(physics->fd, (struct sockaddr *)&address, sizeof address) != 0) {
        fprintf(stderr, "board: no physics at %s: %s\n", path, strerror(errno));
        return false;
    }
    while (physics->input_bits == 0) {
        struct pollfd readable = {.fd = physics->fd, .events = POLLIN};
        if (poll(&readable, 1, GREETING_MS) <= 0 || !physics_receive(physics))
            return complain("the physics did not say what the table is like");
    }
    return true;
}

bool physics_advance(struct physics *physics, int64_t now_us)
{
    bool any = false;
    while (physics->changes > 0 && physics->change[0].at_us <= now_us) {
        const struct physics_change change = pop_change(physics);
        take_input(physics, change.bit, change.level);
        any = true;
    }
    return any;
}

/* The physics reads all the time; when it has gone, physics_receive says so. */
static void tell(struct physics *physics, const char *text, int length)
{
    size_t sent = 0;
    while (sent < (size_t)length) {
        const ssize_t more = send(physics->fd, text + sent, (size_t)length - sent, MSG_NOSIGNAL);
        if (more < 0 && errno != EINTR)
            return;
        sent += more > 0 ? (size_t)more : 0;
    }
}

bool physics_keep_step(struct physics *physics, int64_t now_us)
{
    if (!physics->asked && (physics->disturbed || now_us >= physics->due_us || now_us - physics->asked_us >= ASK_EVERY_US)) {
        char text[32];
        physics->asked = true;
        physics->disturbed = false;
        physics->asked_us = now_us;
        tell(physics, text, snprintf(text, sizeof text, "T %" PRId64 "\n", now_us));
    }
    return !physics->asked || now_us - physics->asked_us < MOST_AHEAD_US;
}

void physics_wait(const struct physics *physics)
{
    struct pollfd readable = {.fd = physics->fd, .events = POLLIN};
    (void)poll(&readable, 1, WAIT_MS);
}

int64_t physics_next_us(const struct physics *physics)
{
    return physics->changes > 0 ? physics->change[0].at_us : INT64_MAX;
}

void physics_step(struct physics *physics, unsigned axis, bool outward, bool powered, int64_t now_us)
{
    if (powered && end_stop_step(&physics->stop[axis], outward, physics->most_steps, physics->steps_per_position, (uint64_t)now_us))
        physics->moved = true;
}

static int print_axes(struct physics *physics, char *text, size_t room, int64_t now_us)
{
    physics->moved = false;
    physics->told_us = now_us;
    return snprintf(text, room, "A %" PRId64 " %" PRId32 " %" PRId32 " %" PRId32 " %" PRId32 "\n", now_us,
                    physics->stop[0].position, physics->stop[1].position, physics->stop[2].position, physics->stop[3].position);
}

void physics_outputs(struct physics *physics, const uint8_t *image, int64_t now_us)
{
    char text[160 + PHYSICS_MOST_OUTPUTS / 4];
    int length = 0;
    if (memcmp(image, physics->output, physics->output_bytes) == 0)
        return;
    memcpy(physics->output, image, physics->output_bytes);
    if (physics->moved)
        length = print_axes(physics, text, sizeof text, now_us);
    length += snprintf(text + length, sizeof text - (size_t)length, "O %" PRId64 " ", now_us);
    for (size_t byte = 0; byte < physics->output_bytes; byte++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%02x", image[byte]);
    text[length++] = '\n';
    physics->disturbed = true;
    tell(physics, text, length);
}

void physics_servo(struct physics *physics, uint32_t pulse_us, int64_t now_us)
{
    char text[64];
    physics->disturbed = true;
    tell(physics, text, snprintf(text, sizeof text, "S %" PRId64 " %" PRIu32 "\n", now_us, pulse_us));
}

void physics_tell_axes(struct physics *physics, int64_t now_us)
{
    char text[96];
    if (physics->moved && now_us - physics->told_us >= AXES_EVERY_US)
        tell(physics, text, print_axes(physics, text, sizeof text, now_us));
}
