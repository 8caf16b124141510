"""Agreement of several frames of one tile: all must name one kind, or there is no read.

Errors of one camera's frames depend on each other, so agreement does not multiply probabilities: the least probable
frame counts. A frame without use (glare, a hand, dark) does not contradict the others; a frame that read another kind
does.
"""

from collections.abc import Sequence

from vision.reading import Read, ReadRefusal, Reason


def agreed(answers: Sequence[Read | ReadRefusal], *, least: int = 2) -> Read | ReadRefusal:
    """The read that at least ``least`` of the answers give and none contradicts, or a refusal; raises ValueError without answers.

    A frame that was unsure must at least have put the same kind first.
    """
    if not answers:
        raise ValueError("no frame was read: agreement needs answers")
    reads = [answer for answer in answers if isinstance(answer, Read)]
    refusals = [answer for answer in answers if isinstance(answer, ReadRefusal)]
    if not reads:
        return refusals[-1]
    kinds = {read.tile for read in reads}
    likeliest = {refusal.candidates[0].tile for refusal in refusals if refusal.candidates and refusal.reason is Reason.UNSURE}
    if len(kinds | likeliest) > 1:
        names = ", ".join(sorted(tile.text for tile in kinds | likeliest))
        return ReadRefusal(Reason.UNSURE, f"the frames do not agree: {names}")
    if len(reads) < least:
        return refusals[-1] if refusals else ReadRefusal(Reason.UNSURE, f"{len(reads)} of {least} frames that must agree")
    return min(reads, key=lambda read: read.probability)
