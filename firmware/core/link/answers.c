#include "answers.h"

#include <string.h>

void twf_answers_init(struct twf_answers *answers) {
    memset(answers, 0, sizeof *answers);
}

static const struct twf_given *find(const struct twf_answers *answers, uint32_t operation) {
    for (uint8_t i = 0; operation != 0 && i < TWF_ANSWERS_KEPT; i++)
        if (answers->given[i].operation == operation)
            return &answers->given[i];
    return NULL;
}

enum twf_recall twf_answers_recall(const struct twf_answers *answers, uint32_t operation, const struct twf_command *command,
                                   struct twf_answer *answer) {
    const struct twf_given *given = find(answers, operation);
    if (given == NULL)
        return operation <= answers->highest ? TWF_RECALL_STALE : TWF_RECALL_NEW;
    if (memcmp(&given->command, command, sizeof *command) != 0)
        return TWF_RECALL_MISMATCH;
    *answer = given->answer;
    return TWF_RECALL_KNOWN;
}

/* An operation that ends when 64 later ones have been answered takes the place of the oldest, as a new one would. */
void twf_answers_store(struct twf_answers *answers, uint32_t operation, const struct twf_command *command,
                       const struct twf_answer *answer) {
    const struct twf_given *known = find(answers, operation);
    struct twf_given *given = &answers->given[answers->next];
    if (known != NULL)
        given = &answers->given[known - answers->given];
    else
        answers->next = (uint8_t)((answers->next + 1u) % TWF_ANSWERS_KEPT);
    given->operation = operation;
    given->command = *command;
    given->answer = *answer;
    if (operation > answers->highest)
        answers->highest = operation;
}
