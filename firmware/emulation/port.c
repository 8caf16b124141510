#define _GNU_SOURCE
#include "port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

void port_init(struct port *port)
{
    memset(port, 0, sizeof *port);
    port->master = port->slave = -1;
    port->commanded = true;
}

bool port_plug(struct port *port)
{
    struct termios raw;
    if (port->master >= 0)
        return true;
    memset(&raw, 0, sizeof raw);
    cfmakeraw(&raw);
    /* The slave is kept open here too, so that the line lives on when the host closes it. */
    if (openpty(&port->master, &port->slave, NULL, &raw, NULL) != 0) {
        fprintf(stderr, "board: no pseudo-terminal is left: %s\n", strerror(errno));
        return false;
    }
    (void)fcntl(port->master, F_SETFL, fcntl(port->master, F_GETFL) | O_NONBLOCK);
    (void)fcntl(port->master, F_SETFD, FD_CLOEXEC);
    (void)fcntl(port->slave, F_SETFD, FD_CLOEXEC);
    /* A device's number may be another terminal's once this board has been killed; this path ends with the process. */
    printf("PTY /proc/%ld/fd/%d\n", (long)getpid(), port->slave);
    fflush(stdout);
    return true;
}

void port_unplug(struct port *port)
{
    if (port->master < 0)
        return;
    close(port->master);
    close(port->slave);
    port->master = port->slave = -1;
}

size_t port_read(struct port *port, uint8_t *bytes, size_t most)
{
    const ssize_t got = port->master < 0 ? 0 : read(port->master, bytes, most);
    return got > 0 ? (size_t)got : 0;
}

void port_write(struct port *port, const uint8_t *bytes, size_t count)
{
    if (port->master >= 0 && write(port->master, bytes, count) < 0)
        return; /* nobody reads */
}

static void obey_line(struct port *port, const char *line)
{
    if (strcmp(line, "unplug") == 0)
        port_unplug(port);
    else if (strcmp(line, "plug") == 0)
        (void)port_plug(port);
    else if (port->buttons && strcmp(line, "reset") == 0)
        port->reset_pressed = true;
    else if (port->buttons && strcmp(line, "pull-chain") == 0)
        port->chain_pulled = true;
    else
        fprintf(stderr, "board: \"%s\" is no command; there are plug, unplug%s\n", line, port->buttons ? ", reset, pull-chain" : "");
}

void port_obey(struct port *port)
{
    struct pollfd readable = {.fd = STDIN_FILENO, .events = POLLIN};
    while (port->commanded && poll(&readable, 1, 0) > 0) {
        const ssize_t got = read(STDIN_FILENO, port->command + port->pending, 1);
        if (got <= 0 || port->pending + 1 == sizeof port->command) {
            port->commanded = false; /* nobody commands */
        } else if (port->command[port->pending] == '\n') {
            port->command[port->pending] = '\0';
            port->pending = 0;
            obey_line(port, port->command);
        } else {
            port->pending++;
        }
    }
}
