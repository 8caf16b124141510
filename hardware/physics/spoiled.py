"""Machines and sets that are spoiled on purpose, by way: former designs, worn, sticky and oversize tiles, parts out of place.

They make jams, so that what the machine sees of one can be counted.
"""

from collections.abc import Mapping

SPOILED: Mapping[str, tuple[str, ...]] = {
    "release lower": ("tray.pitch=26.9", "carriage.error=4..9", "carriage.belt=3..6", "gripper.off=3..6", "gripper.finger_opens=-0.5..0"),
    "release upper": ("carriage.error=4..9", "carriage.belt=3..6", "gripper.off=3..6", "gripper.finger_opens=-0.5..0"),
    "take lower": ("gripper.force_n=0.02..0.15", "carriage.error=6..14"),
    "take upper": ("gripper.force_n=0.02..0.15", "carriage.error=6..14"),
    "push row": ("pusher.step_down=-4..-1", "pusher.height=14", "pusher.gap=14..26"),
    "lift wall": ("lift.tilt_deg=8..16", "lift.cord_slack=40..120", "lift.rise_s=0.1..0.2", "pusher.gap=-1..0", "tile.magnet_am2=0.4..0.8"),
    "draw upper": ("draw_gate.blind_edge=4..10", "surface.tile_on_tile=0.8..1.2"),
    "draw lower": ("draw_gate.clearance=-3..-1", "draw_gate.hand_n=0.02..0.1"),
    "enter window": ("window.stop_restitution=0.8..0.95", "window.entering_deg=8..20", "window.side_play=-0.6..-0.2"),
    "chute": ("chute.slope_deg=6..16", "chute.play=-0.6..0", "chute.entering_deg=25..40", "chute.slope_deg=45..60"),
    "mouth": ("mouth.spring_nm=0.01..0.03", "mouth.play=-0.6..0", "mouth.damping_nms=0.0005", "mouth.speed=1500..2500"),
    "diverter lane": ("diverter.error_deg=3..6", "chute.play=-0.4..0.2", "diverter.late_s=0.47"),
    "drop lower": ("tray.play=1.2",),
    "drop upper": ("tray.play=1.2",),
}
"""The last two are a former design: the dimension is that of the file."""
