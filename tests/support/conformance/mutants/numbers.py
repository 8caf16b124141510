"""Firmware that is wrong about sessions, digests and operation numbers."""

from __future__ import annotations

from tests.support.conformance.mutation import Mutation, mutant
from tests.support.firmware.variants import Replacement

_KNOWN = "    default:\n        break;\n    }\n    twf_reports_answer(feeder, operation, command->type, &answer);"
_AFTER = "\n    }\n    twf_reports_answer(feeder, operation, command->type, &answer);"
_GREETED = "        feeder->session = false;\n        twf_reports_hello_ack"

MUTANTS: tuple[Mutation, ...] = (
    mutant("gives back another nonce", "hello-identity", "reports.c", ".nonce = nonce,", ".nonce = nonce ^ 1u,"),
    mutant(
        "leaves the session open at HELLO",
        "hello-closes-session no-session config-digest",
        "feeder.c",
        _GREETED,
        "        twf_reports_hello_ack",
    ),
    mutant(
        "remembers NO_SESSION",
        "no-session",
        "feeder.c",
        "        twf_reports_nak(feeder, operation, TWF_NAK_NO_SESSION);\n",
        """        twf_reports_nak(feeder, operation, TWF_NAK_NO_SESSION);
        answer = (struct twf_answer){.type = TWF_TYPE_NAK, .code = TWF_NAK_NO_SESSION};
        twf_answers_store(&feeder->answers, operation, command, &answer);
""",
    ),
    mutant(
        "forgets its answers at HELLO",
        "answers-outlive-session",
        "feeder.c",
        _GREETED,
        """        feeder->session = false;
        const uint32_t highest = feeder->answers.highest;
        twf_answers_init(&feeder->answers);
        feeder->answers.highest = highest;
        twf_reports_hello_ack""",
    ),
    mutant(
        "gives another digest than that of CAPS",
        "capabilities-digest-fits",
        "table.c",
        "twf_sha256_start(caps, size, table->digest);",
        "caps[0] ^= 1u;\n    twf_sha256_start(caps, size, table->digest);",
    ),
    mutant(
        "takes any digest", "config-digest", "feeder.c", "memcmp(payload, machine->table.digest, sizeof machine->table.digest) == 0", "true"
    ),
    mutant(
        "answers two heartbeats of three",
        "heartbeat-answered",
        "feeder.c",
        "feeder->heard_ms = feeder->machine.now_ms;\n        twf_reports_beat(feeder);",
        "feeder->heard_ms = feeder->machine.now_ms;\n        if (frame->seq % 3u != 0)\n            twf_reports_beat(feeder);",
    ),
    mutant(
        "takes an unknown command for a busy machine",
        "unknown-command",
        "feeder.c",
        "TWF_NAK_SERVICE_SWITCH : TWF_NAK_UNKNOWN_COMMAND",
        "TWF_NAK_SERVICE_SWITCH : TWF_NAK_BUSY",
    ),
    mutant(
        "has no service switch",
        "service-range",
        "feeder.c",
        "TWF_NAK_SERVICE_SWITCH : TWF_NAK_UNKNOWN_COMMAND",
        "TWF_NAK_UNKNOWN_COMMAND : TWF_NAK_UNKNOWN_COMMAND",
    ),
    mutant(
        "answers what it cannot read",
        "unreadable-message",
        "feeder.c",
        "    } else if (known) {\n        take_session_message(feeder, frame);\n",
        """    } else if (known) {
        take_session_message(feeder, frame);
    } else if (frame->type < TWF_FIRST_COMMAND) {
        twf_reports_nak(feeder, frame->operation, TWF_NAK_UNKNOWN_COMMAND);
""",
    ),
    mutant(
        "moves twice when a number is repeated",
        "repeat-moves-nothing",
        "feeder.c",
        _KNOWN,
        """    default:
        if (command->type == TWF_TYPE_RECIRCULATE)
            twf_operations_perform(&feeder->machine, operation, command);
        break;"""
        + _AFTER,
    ),
    mutant(
        "is deaf to repeats while it moves",
        "repeat-while-running",
        "feeder.c",
        _KNOWN,
        "    default:\n        if (answer.type == TWF_TYPE_ACK)\n            return;\n        break;" + _AFTER,
    ),
    mutant(
        "forgets its refusals",
        "refusal-remembered",
        "feeder.c",
        "        twf_answers_store(&feeder->answers, operation, command, &answer);\n        break;",
        "        if (answer.type != TWF_TYPE_NAK)\n"
        "            twf_answers_store(&feeder->answers, operation, command, &answer);\n        break;",
    ),
    mutant(
        "keeps 63 answers",
        "sixty-four-answers",
        "answers.c",
        "(answers->next + 1u) % TWF_ANSWERS_KEPT",
        "(answers->next + 1u) % (TWF_ANSWERS_KEPT - 1u)",
    ),
    mutant(
        "keeps twice as many answers",
        "stale-after-sixty-four",
        "answers.h",
        "#define TWF_ANSWERS_KEPT TWF_REFERENCE_ANSWERS_KEPT",
        "#define TWF_ANSWERS_KEPT (2u * TWF_REFERENCE_ANSWERS_KEPT)",
    ),
    mutant(
        "takes numbers that were overtaken",
        "stale-when-overtaken",
        "answers.c",
        "return operation <= answers->highest ? TWF_RECALL_STALE",
        "return operation + TWF_ANSWERS_KEPT <= answers->highest ? TWF_RECALL_STALE",
    ),
    mutant(
        "compares numbers only",
        "mismatch",
        "answers.c",
        "    if (memcmp(&given->command, command, sizeof *command) != 0)\n        return TWF_RECALL_MISMATCH;\n",
        "",
    ),
    mutant(
        "is one operation behind",
        "last-operation",
        "reports.c",
        ".well = machine->well,\n        .last_operation = feeder->answers.highest,",
        ".well = machine->well,\n        .last_operation = feeder->answers.highest - (feeder->answers.highest > 0),",
    ),
    mutant(
        "keeps its boot id",
        "restart",
        "feeder.c",
        "    feeder->identity = *identity;\n",
        "    feeder->identity = *identity;\n    feeder->identity.boot_id = 100u;\n",
    ),
    mutant(
        "answers after the host has asked again",
        "answers-in-time frame-pieces",
        "feeder.c",
        "        size = twf_table_caps(&feeder->machine.table, caps);\n        twf_reports_send(feeder, TWF_TYPE_CAPS, caps, size, 0);\n",
        "        (void)size;\n        (void)caps;\n        feeder->caps_due_ms = feeder->machine.now_ms + 120u;\n",
        Replacement(
            "feeder.c",
            "    twf_machine_scan(&feeder->machine, elapsed_ms);\n    settle(feeder);\n",
            """    twf_machine_scan(&feeder->machine, elapsed_ms);
    if (feeder->caps_due_ms != 0 && is_due(feeder, feeder->caps_due_ms)) {
        uint8_t caps[TWF_MOST_CAPS];
        feeder->caps_due_ms = 0;
        twf_reports_send(feeder, TWF_TYPE_CAPS, caps, twf_table_caps(&feeder->machine.table, caps), 0);
    }
    settle(feeder);
""",
        ),
        Replacement("feeder.h", "    bool session;", "    bool session;\n    uint32_t caps_due_ms;"),
    ),
    mutant(
        "promises other times than the protocol",
        "capabilities-possible holds-after-300-ms",
        "table.c",
        ".hold_after_ms = TWF_REFERENCE_HOLD_AFTER_MS",
        ".hold_after_ms = TWF_REFERENCE_HOLD_AFTER_MS + 100u",
    ),
)
