/* The answers to the last 64 operations: a repeated number is answered from here and moves nothing (PROTOCOL.md, rule 1). */
#ifndef TWF_ANSWERS_H
#define TWF_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

#include "twf_layout.h"

#define TWF_ANSWERS_KEPT TWF_REFERENCE_ANSWERS_KEPT
/* The longest payload of an operation. */
#define TWF_MOST_ARGUMENTS 5u

/* What an operation was: type and payload, the bytes behind the payload 0. */
struct twf_command {
    uint8_t type;
    uint8_t argument[TWF_MOST_ARGUMENTS];
};

/* ACK (with no further number: the time is known from the command), NAK with its code, or DONE. */
struct twf_answer {
    uint8_t type;
    uint8_t code; /* of NAK, or DONE's result */
    uint16_t sensors;
    uint32_t ms;
};

struct twf_given {
    uint32_t operation; /* 0: free */
    struct twf_command command;
    struct twf_answer answer;
};

struct twf_answers {
    struct twf_given given[TWF_ANSWERS_KEPT];
    uint8_t next; /* where the next number goes, over the oldest */
    uint32_t highest;
};

enum twf_recall { TWF_RECALL_NEW, TWF_RECALL_KNOWN, TWF_RECALL_STALE, TWF_RECALL_MISMATCH };

void twf_answers_init(struct twf_answers *answers);

/* What is known of a number; for TWF_RECALL_KNOWN `answer` is filled. */
enum twf_recall twf_answers_recall(const struct twf_answers *answers, uint32_t operation, const struct twf_command *command,
                                   struct twf_answer *answer);

/* Keep an answer, or put what followed in the place of ACK. */
void twf_answers_store(struct twf_answers *answers, uint32_t operation, const struct twf_command *command,
                       const struct twf_answer *answer);

#endif
