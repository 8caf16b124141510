#include "way_back.h"

bool twf_way_back_waits(const struct twf_machine *machine, uint8_t gate) {
    return twf_input(&machine->inputs, twf_in_at(TWF_IN_RETURN_LANE, gate));
}

void twf_way_back_take(struct twf_machine *machine, struct twf_job *job) {
    const uint8_t gate = twf_machine_gate_of(machine, &job->command);
    job->carrying = true;
    machine->lane[gate].on_way = true;
    machine->lane[gate].handed_ms = 0;
}

bool twf_way_back_all_clear(const struct twf_machine *machine) {
    bool clear = true;
    for (uint8_t gate = 0; gate < twf_table_gates(&machine->table); gate++)
        clear = clear && !machine->lane[gate].on_way;
    return clear;
}

bool twf_way_back_any_waits(const struct twf_machine *machine) {
    bool waits = false;
    for (uint8_t gate = 0; gate < twf_table_gates(&machine->table); gate++)
        waits = waits || twf_way_back_waits(machine, gate);
    return waits;
}
