/* One boot of the firmware: TWF bytes and time come in, bytes and outputs go out.
 *
 * Here are the rules of PROTOCOL.md that concern the line: the session, stored answers, events until they are acknowledged, and
 * the host's silence. What an operation does to the table is the machine's.
 */
#ifndef TWF_FEEDER_H
#define TWF_FEEDER_H

#include "session.h"

/* Start. `record` is the table's memory. */
void twf_feeder_init(struct twf_feeder *feeder, const uint8_t record[TWF_RECORD_SIZE], const struct twf_identity *identity);

/* Take a byte from the host. */
void twf_feeder_receive(struct twf_feeder *feeder, uint8_t byte);

/* Do what is due; to be called all the time, and at least every millisecond. */
void twf_feeder_poll(struct twf_feeder *feeder);

#endif
