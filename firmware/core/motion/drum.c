#include "drum.h"

/* After so many tiles in a row that came quickly a drum is quick: its next tile must come soon, unless it is one of the last two. Tiles
 * are counted only while the trays hold so few that the drum still holds most, even of the smallest set of 108. */
#define QUICK_TILES 16u
#define SURE_TILES 64u
#define LAST_TILES 2u

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

/* How many tiles lie in the trays, and how many more they lack: one for each empty place before a tray's highest tile, but for those that
 * lie in cells. */
struct filling {
    uint8_t tiles;
    uint8_t lacks;
};

static struct filling filling_of(const struct twf_machine *machine) {
    const uint8_t *places = twf_input_places(&machine->inputs, TWF_IN_TRAY, 0);
    struct filling filling = {0};
    uint8_t gap = 0;
    for (uint8_t i = 0; i < TWF_SEATS * TWF_MOST_PLACES; i++) {
        if (i % TWF_MOST_PLACES == 0)
            gap = 0;
        if (((unsigned)places[i / 8u] >> (i % 8u) & 1u) == 0) {
            gap++;
            continue;
        }
        filling.tiles++;
        filling.lacks = (uint8_t)(filling.lacks + gap);
        gap = 0;
    }
    for (uint8_t cells = machine->inputs.level[TWF_IN_CELL_FULL / 8u]; cells != 0 && filling.lacks > 0; cells &= (uint8_t)(cells - 1u))
        filling.lacks--;
    return filling;
}

void twf_drum_brought(struct twf_machine *machine, struct twf_lane *lane, uint32_t waited_ms) {
    if (machine->table.lanes || filling_of(machine).tiles >= SURE_TILES)
        return;
    if (twf_machine_late(machine, waited_ms, TWF_QUICK_MS))
        lane->quick = 0;
    else if (lane->quick < QUICK_TILES)
        lane->quick++;
}

uint16_t twf_drum_next_ms(const struct twf_machine *machine, struct twf_lane *lane) {
    if (lane->quick == QUICK_TILES) {
        const struct filling filling = filling_of(machine);
        if (filling.tiles >= SURE_TILES && filling.lacks <= LAST_TILES)
            lane->quick = 0;
    }
    return lane->quick < QUICK_TILES ? TWF_NEXT_TILE_MS : TWF_SOON_MS;
}
