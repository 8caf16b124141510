"""Settings of tables with several gates."""

from simulator.mechanics import MechanicsSettings

MACHINES = {
    "two gates": MechanicsSettings(gates=2, exchangers=1, pocket_places=2),
    "three gates": MechanicsSettings(gates=3, exchangers=1, pocket_places=2, shuttles=2),
    "four gates, one exchanger": MechanicsSettings(gates=4, exchangers=1, pocket_places=2, shuttles=2),
    "four gates, two exchangers": MechanicsSettings(gates=4, exchangers=2, pocket_places=2, shuttles=2),
}
