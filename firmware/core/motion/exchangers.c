#include "exchangers.h"

#if TWF_SEVERAL

#include <string.h>

#include "shuttle.h"

/* For so long GO has been low before it rises again. */
#define FALLEN_MS 2u

static uint8_t gate_of(const struct twf_machine *machine, const struct twf_job *job) {
    return twf_machine_gate_of(machine, &job->command);
}

static void address(struct twf_machine *machine, uint8_t exchanger, uint8_t value) {
    const uint8_t first = (uint8_t)(TWF_OUT_EXCHANGER + 8u * exchanger);
    for (uint8_t bit = 0; bit < 8u; bit++)
        twf_machine_output(machine, (uint8_t)(first + bit), twf_bit(value, bit));
}

static void start(struct twf_exchanger *exchanger, bool loosening) {
    exchanger->phase_ms = 0;
    exchanger->loosening = loosening;
}

/* GO falls: it sets out on a rising one only. */
static void rest(struct twf_machine *machine, uint8_t number) {
    machine->exchanger[number].job = NULL;
    start(&machine->exchanger[number], false);
    address(machine, number, 0);
}

void twf_exchangers_pocketed(struct twf_machine *machine, struct twf_job *job) {
    struct twf_pockets *pockets = &machine->pockets;
    if (pockets->count < sizeof pockets->waiting / sizeof pockets->waiting[0])
        pockets->waiting[pockets->count++] = job;
}

static void take_out(struct twf_pockets *pockets, const struct twf_job *job) {
    uint8_t kept = 0;
    for (uint8_t i = 0; i < pockets->count; i++)
        if (pockets->waiting[i] != job)
            pockets->waiting[kept++] = pockets->waiting[i];
    pockets->count = kept;
}

/* Only one exchanger reaches into a pocket at a time. */
static bool reached_into(const struct twf_machine *machine, uint8_t gate) {
    for (uint8_t i = 0; i < machine->table.exchangers; i++) {
        const struct twf_job *job = machine->exchanger[i].job;
        if (job != NULL && (job->sensors & TWF_SENSOR_EXCHANGED) == 0 && gate_of(machine, job) == gate)
            return true;
    }
    return false;
}

static bool is_first(const struct twf_machine *machine, uint8_t index) {
    const struct twf_pockets *pockets = &machine->pockets;
    for (uint8_t i = 0; i < index; i++)
        if (gate_of(machine, pockets->waiting[i]) == gate_of(machine, pockets->waiting[index]))
            return false;
    return true;
}

static struct twf_job *next(const struct twf_machine *machine) {
    const struct twf_pockets *pockets = &machine->pockets;
    for (uint8_t i = 0; i < pockets->count; i++) {
        struct twf_job *job = pockets->waiting[i];
        if (is_first(machine, i) && !reached_into(machine, gate_of(machine, job)) && twf_shuttle_has_room(machine, job))
            return job;
    }
    return NULL;
}

void twf_exchangers_begin(struct twf_machine *machine) {
    for (uint8_t i = 0; i < machine->table.exchangers; i++) {
        struct twf_exchanger *exchanger = &machine->exchanger[i];
        struct twf_job *job = exchanger->job == NULL && exchanger->phase_ms >= FALLEN_MS ? next(machine) : NULL;
        if (job == NULL)
            continue;
        const uint8_t shuttle = twf_shuttle_of(machine, job);
        exchanger->job = job;
        exchanger->attempts = 0;
        start(exchanger, false);
        address(machine, i, (uint8_t)(gate_of(machine, job) | shuttle << TWF_EXCHANGER_SHUTTLE | 1u << TWF_EXCHANGER_GO));
    }
}

static void loosen(struct twf_machine *machine, uint8_t number) {
    struct twf_exchanger *exchanger = &machine->exchanger[number];
    if (exchanger->attempts == TWF_ATTEMPTS) {
        twf_machine_stuck(machine, TWF_FAULT_SHUTTLE, (uint8_t)(TWF_WHERE_EXCHANGER + number), exchanger->job);
        return;
    }
    exchanger->attempts++;
    start(exchanger, true);
    twf_machine_output(machine, (uint8_t)(TWF_OUT_EXCHANGER + 8u * number + TWF_EXCHANGER_LOOSEN), true);
}

void twf_exchangers_scan(struct twf_machine *machine, uint8_t elapsed_ms) {
    for (uint8_t i = 0; twf_machine_running(machine) && i < machine->table.exchangers; i++) {
        struct twf_exchanger *exchanger = &machine->exchanger[i];
        if (exchanger->phase_ms <= UINT16_MAX - elapsed_ms)
            exchanger->phase_ms = (uint16_t)(exchanger->phase_ms + elapsed_ms);
        if (exchanger->job == NULL)
            continue;
        if (exchanger->loosening && exchanger->phase_ms > twf_table_ms(&machine->table, TWF_LOOSEN_MS)) {
            twf_machine_output(machine, (uint8_t)(TWF_OUT_EXCHANGER + 8u * i + TWF_EXCHANGER_LOOSEN), false);
            start(exchanger, false);
        } else if (!exchanger->loosening && twf_machine_late(machine, exchanger->phase_ms, TWF_EXCHANGE_MS)) {
            loosen(machine, i);
        }
    }
}

void twf_exchangers_edge(struct twf_machine *machine, uint8_t number, bool holds) {
    struct twf_exchanger *exchanger = &machine->exchanger[number];
    struct twf_job *job = exchanger->job;
    if (job == NULL)
        return;
    if (holds) {
        take_out(&machine->pockets, job);
        twf_job_saw(job, TWF_SENSOR_EXCHANGED);
        return;
    }
    rest(machine, number);
    twf_shuttle_comes(machine, job);
    twf_job_saw(job, TWF_SENSOR_DIVERTED);
}

uint8_t twf_exchangers_pocket(const struct twf_machine *machine, uint8_t gate) {
    const struct twf_lane *lane = &machine->lane[gate];
    uint8_t tiles = lane->active != NULL && lane->active->exchanged;
    for (uint8_t i = 0; i < lane->count; i++)
        tiles = (uint8_t)(tiles + lane->waiting[i]->exchanged);
    for (uint8_t i = 0; i < machine->pockets.count; i++)
        tiles = (uint8_t)(tiles + (gate_of(machine, machine->pockets.waiting[i]) == gate));
    return tiles;
}

void twf_exchangers_forget(struct twf_machine *machine, const struct twf_job *job) {
    take_out(&machine->pockets, job);
    for (uint8_t i = 0; i < TWF_EXCHANGERS; i++) {
        if (machine->exchanger[i].job == job)
            rest(machine, i);
    }
}

#else
/* A file of ISO C is not empty. */
typedef int twf_no_exchangers;
#endif
