"""Time of walls built by hand: a simulated person with the real controller, link and station.

``python -m benchmarks.manual --json`` builds walls of 136 tiles in simulated time. The person's times (to see where a tile goes, to put it
there, to show the next one) are assumptions, stated in the output and not measured on people; the figures show what the rest of the system
adds. ``careless`` hands put one tile of a hundred into a nearby place unnoticed, with a camera above the walls and without; a person who
finds a place taken uses the nearest free one. ``two_people`` build by turns at one frame, by a screen, and by a voice that needs 0.9 s for
a place, at the practised person's pace.
"""

import statistics
from dataclasses import asdict

from benchmarks.support.measuring import run_measure
from tableside.station.tasks import Do
from tests.support.station.hands import Mishaps, Overhead, Pace, table_without_a_feeder
from tests.support.station.two_people import Spoken, two_people

USUAL = Mishaps(unread=0.01, slip=0.005)
CARELESS = Mishaps(unread=0.01, slip=0.005, misplace=0.01)
_MOST_S = 1800.0


def measure_one(walls: int, seed: int, mishaps: Mishaps = USUAL, overhead: Overhead | None = None) -> dict[str, object]:
    """Measure ``walls`` walls of one practised person."""
    took_s, touches, wrong, misplaced, moved, wrong_walls = [], [], 0, 0, 0, 0
    pace = Pace()
    for number in range(walls):
        bench = table_without_a_feeder(seed + number, pace=pace, mishaps=mishaps, overhead=overhead)
        bench.build(_MOST_S)
        took_s.append(bench.took_s)
        touches.append(sum(screen.task.do is Do.FROM_ASIDE for screen in bench.screens))
        wrong += len(bench.wrong_positions())
        wrong_walls += bool(bench.wrong_positions())
        misplaced += bench.misplaced
        moved += bench.moved
    mean_s = statistics.fmean(took_s)
    return {
        "person": asdict(pace),
        "walls": walls,
        "mean_s": round(mean_s, 1),
        "most_s": round(max(took_s), 1),
        "a_tile_s": round(mean_s / 136, 2),
        "of_which_hands_s": round(pace.read_s + pace.put_s + pace.pick_s, 2),
        "set_aside_per_wall": round(statistics.fmean(touches), 2),
        "put_near_by": misplaced,
        "moved_because_the_screen_said_so": moved,
        "wrong_positions": wrong,
        "wrong_walls": wrong_walls,
    }


def measure_two(walls: int, seed: int, spoken: Spoken | None) -> dict[str, object]:
    """Measure ``walls`` walls by two practised people at one frame."""
    benches = [two_people(seed + number, mishaps=USUAL, spoken=spoken) for number in range(walls)]
    for bench in benches:
        bench.build(_MOST_S)
    took_s = [bench.took_s for bench in benches]
    return {
        "person": asdict(Pace()),
        "voice": None if spoken is None else asdict(spoken),
        "walls": walls,
        "mean_s": round(statistics.fmean(took_s), 1),
        "most_s": round(max(took_s), 1),
        "a_tile_s": round(statistics.fmean(took_s) / 136, 2),
        "wrong_positions": sum(len(bench.wrong_positions()) for bench in benches),
    }


def measure(walls: int = 10, seed: int = 1) -> dict[str, object]:
    """Measure ``walls`` walls by one practised person, by careless hands and by two people."""
    figures: dict[str, object] = {"simulated": True, "mishaps": asdict(USUAL), "practised": measure_one(walls, seed)}
    figures["careless"] = {
        name: measure_one(walls, seed, CARELESS, overhead)
        for name, overhead in (("with_a_camera_above_the_walls", Overhead()), ("without", None))
    }
    figures["two_people"] = {name: measure_two(walls, seed, spoken) for name, spoken in (("by_a_screen", None), ("by_voice", Spoken()))}
    return figures


if __name__ == "__main__":
    run_measure(measure)
