"""Firmware that cuts, checks, counts or times frames wrongly."""

from __future__ import annotations

from tests.support.conformance.mutation import Mutation, mutant
from tests.support.firmware.variants import Replacement

MUTANTS: tuple[Mutation, ...] = (
    mutant(
        "takes a first code that points beyond any frame for 4",
        "frame-stuffing",
        "frames.c",
        "decoder->left = (uint8_t)(byte - 1u);",
        "decoder->left = (uint8_t)(byte > 200u && decoder->count == 0 ? 3u : byte - 1u);",
    ),
    mutant(
        "fills short frames",
        "frame-short frame-resync",
        "frames.c",
        "if (count < TWF_MIN_FRAME)\n        return false;",
        """if (count < TWF_MIN_FRAME) {
        memset(frame, 0, sizeof *frame);
        frame->version = count > TWF_AT_VERSION ? plain[TWF_AT_VERSION] : 0;
        frame->type = count > TWF_AT_TYPE ? plain[TWF_AT_TYPE] : 0;
        return true;
    }""",
    ),
    mutant(
        "is out of step after noise",
        "frame-resync",
        "frames.c",
        "    begin_piece(decoder);\n    if (whole)",
        """    const bool noise = begun && !whole && !decoder->broken && decoder->count >= 40u;
    begin_piece(decoder);
    decoder->broken = noise;
    if (whole)""",
    ),
    mutant(
        "chokes on a long piece",
        "frame-oversize",
        "frames.c",
        "    begin_piece(decoder);\n    if (whole)",
        """    const bool choked = decoder->broken && decoder->count > 0;
    begin_piece(decoder);
    decoder->broken = choked;
    if (whole)""",
    ),
    mutant(
        "loses a frame behind two zeros",
        "frame-zeros",
        "frames.c",
        "    begin_piece(decoder);\n    if (whole)",
        """    begin_piece(decoder);
    decoder->broken = !begun;
    if (whole)""",
    ),
    mutant(
        "checks no checksum",
        "frame-damage",
        "frames.c",
        "    if (twf_crc32(plain, checked) != twf_get_u32(plain + checked))\n        return false;\n",
        "",
    ),
    mutant(
        "understands whole frames only",
        "frame-pieces",
        "board.c",
        "    for (size_t i = 0; i < count; i++)\n        twf_feeder_receive",
        "    for (size_t i = 0; count > 1 && bytes[count - 1] == 0 && i < count; i++)\n        twf_feeder_receive",
    ),
    mutant("counts milliseconds", "frame-time", "reports.c", "operation, hal_time_us()};", "operation, hal_time_us() / 1000u};"),
    mutant(
        "stops its clock where it wraps",
        "frame-time-wraps",
        "reports.c",
        "operation, hal_time_us()};",
        # Milliseconds count from the boot, the clock from wherever it stood then: it shows less than they do only once it has wrapped.
        "operation, hal_time_us() / 1000u < feeder->machine.now_ms ? UINT32_MAX : hal_time_us()};",
        slow=True,
    ),
    mutant("does not count its frames", "frame-sequence", "reports.c", "    feeder->seq++;\n", ""),
    mutant(
        "answers any version",
        "frame-version",
        "feeder.c",
        "    if (frame->version != version && frame->type != TWF_TYPE_HELLO)\n        return;\n",
        "",
    ),
    mutant(
        "drops frames whose time goes back",
        "frame-host-time",
        "feeder.c",
        "    if (frame->version != version && frame->type != TWF_TYPE_HELLO)\n        return;\n",
        """    if (frame->version != version && frame->type != TWF_TYPE_HELLO)
        return;
    if (frame->time_us - feeder->host_us > UINT32_MAX / 2u)
        return;
    feeder->host_us = frame->time_us;
""",
        Replacement("feeder.h", "    bool session;", "    bool session;\n    uint32_t host_us;"),
    ),
)
