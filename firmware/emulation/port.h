/* A pseudo-terminal in the place of a board's serial port. Its path is printed as a line `PTY /dev/pts/N`, again each time the
 * cable is put in; a program at the other end may open and close it as it likes, and bytes that nobody reads are lost.
 * The lines `unplug` and `plug` on standard input pull the cable and put it back; `reset` and `pull-chain` do what they say where
 * the board has `buttons`.
 */
#ifndef TWINWALL_PORT_H
#define TWINWALL_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct port {
    int master;
    int slave;
    bool commanded;
    bool buttons;       /* the board has a reset button and a chain that can be pulled out: */
    bool reset_pressed; /* what has been done to them is taken from here */
    bool chain_pulled;
    size_t pending;
    char command[64];
};

/* Open a port and print its path. Returns false, with the reason on standard error, when the system has none left. */
bool port_plug(struct port *port);

/* Close it: whoever has it open gets an error. */
void port_unplug(struct port *port);

/* A port that is not open yet. */
void port_init(struct port *port);

/* Bytes from the host, without waiting; 0 when there are none or the cable is out. */
size_t port_read(struct port *port, uint8_t *bytes, size_t most);

/* Bytes to the host; what finds no room is lost, as on a line that nobody reads. */
void port_write(struct port *port, const uint8_t *bytes, size_t count);

/* Obey what stands on standard input, without waiting. */
void port_obey(struct port *port);

#endif
