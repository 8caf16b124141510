#include "drum.h"

/* After so many tiles in a row that came quickly the next one is not long in coming, where so few lie in the trays that even of the
 * smallest set, 108, more are in the drum than in cells, shuttles and row. */
#define QUICK_TILES 16u
#define SURE_TILES 64u

void twf_drum_scan(struct twf_machine *machine, uint8_t elapsed_ms) {
    const bool on = twf_machine_shows(machine, TWF_OUT_DRUM);
    if (!twf_machine_running(machine) || on == twf_input(&machine->inputs, TWF_IN_DRUM_TURNS)) {
        machine->drum_ms = 0;
        return;
    }
    machine->drum_ms = (uint16_t)(machine->drum_ms + elapsed_ms);
    if (twf_machine_late(machine, machine->drum_ms, TWF_DRUM_MS))
        twf_machine_stuck(machine, on ? TWF_FAULT_NO_TILE : TWF_FAULT_DRIVER, TWF_WHERE_DRUM, NULL);
}

static uint8_t tiles_in_trays(const struct twf_machine *machine) {
    const uint8_t *places = twf_input_places(&machine->inputs, TWF_IN_TRAY, 0);
    uint8_t tiles = 0;
    for (uint8_t i = 0; i < TWF_SEATS * TWF_MOST_PLACES / 8u; i++)
        for (uint8_t left = places[i]; left != 0; left &= (uint8_t)(left - 1u))
            tiles++;
    return tiles;
}

void twf_drum_brought(struct twf_machine *machine, struct twf_lane *lane, uint32_t waited_ms) {
    if (twf_machine_late(machine, waited_ms, TWF_QUICK_MS) || tiles_in_trays(machine) >= SURE_TILES)
        lane->quick = 0;
    else if (lane->quick < QUICK_TILES)
        lane->quick++;
}

uint16_t twf_drum_next_ms(const struct twf_lane *lane) {
    return lane->quick < QUICK_TILES ? TWF_NEXT_TILE_MS : TWF_SOON_MS;
}
