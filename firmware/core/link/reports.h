/* What the firmware says: messages of PROTOCOL.md filled from what it knows, and put on the line. */
#ifndef TWF_REPORTS_H
#define TWF_REPORTS_H

#include "../session.h"

/* Put a message on the line. A frame that finds no room is lost like one on a bad line, and gives false: whoever waits for it asks
 * again. */
bool twf_reports_send(struct twf_feeder *feeder, uint8_t type, const uint8_t *payload, uint8_t size, uint32_t operation);

/* ACK, NAK or DONE of an operation that was a command of this type. */
void twf_reports_answer(struct twf_feeder *feeder, uint32_t operation, uint8_t command, const struct twf_answer *answer);
void twf_reports_nak(struct twf_feeder *feeder, uint32_t operation, uint8_t code);

void twf_reports_beat(struct twf_feeder *feeder);
void twf_reports_hello_ack(struct twf_feeder *feeder, uint32_t nonce);

/* The three parts of a status, under the next snapshot. */
void twf_reports_status(struct twf_feeder *feeder);

#endif
