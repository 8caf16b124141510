#include "shuttle.h"

#include "way_back.h"

#define BOUNCES_MS 400u
/* A gripper is up again, and its barrier has been read twice, no sooner than this. */
#define UP_MS (TWF_DROP_MS + 3u)
/* No gripper, however quick its cam, is up again more than this before its time is over, which stands still while motors get their
 * current back: where that was cut nothing is concluded. */
#define QUICKER_MS 100u

static void start(struct twf_shuttle *shuttle, uint8_t phase) {
    shuttle->phase = phase;
    shuttle->phase_ms = 0;
}

static struct twf_job *first(const struct twf_shuttle *shuttle) {
    return shuttle->count > 0 ? shuttle->waiting[0] : NULL;
}

/* Step of a tray position; the return lane is at step 0, the chute a position further out. */
static uint16_t stop_at(const struct twf_machine *machine, uint8_t position) {
    return (uint16_t)((twf_table_way(&machine->table, position) + 2u) * machine->table.steps_per_position);
}

static void go_to_chute(struct twf_machine *machine, uint8_t seat) {
    twf_axes_go(&machine->axes, seat, machine->table.steps_per_position);
}

static void grip(struct twf_machine *machine, uint8_t seat, bool on) {
    const bool manual = twf_table_manual(&machine->table);
    machine->shuttle[seat].lowered = manual;
    machine->axes.axis[seat].waits_ms = (uint16_t)(manual ? 0u : twf_table_ms(&machine->table, UP_MS));
    twf_machine_output(machine, twf_out_picker(seat), on);
}

void twf_shuttle_enqueue(struct twf_machine *machine, struct twf_job *job) {
    struct twf_shuttle *shuttle = &machine->shuttle[twf_shuttle_of(machine, job)];
    shuttle->waiting[shuttle->count++] = job;
}

void twf_shuttle_forget(struct twf_machine *machine, uint8_t seat, const struct twf_job *job) {
    struct twf_shuttle *shuttle = &machine->shuttle[seat];
    uint8_t kept = 0;
    for (uint8_t i = 0; i < shuttle->count; i++)
        if (shuttle->waiting[i] != job)
            shuttle->waiting[kept++] = shuttle->waiting[i];
    shuttle->count = kept;
}

bool twf_shuttle_rests(const struct twf_machine *machine, uint8_t seat) {
    return machine->shuttle[seat].phase == TWF_SHUTTLE_IDLE && twf_axes_there(&machine->axes, seat);
}

void twf_shuttle_begin(struct twf_machine *machine, uint8_t seat) {
    struct twf_shuttle *shuttle = &machine->shuttle[seat];
    struct twf_job *job = first(shuttle);
    if (job == NULL || shuttle->phase != TWF_SHUTTLE_IDLE || machine->table.lanes)
        return;
    if (job->command.type == TWF_TYPE_RETURN) {
        if (job->started || !twf_axes_there(&machine->axes, seat))
            return;
        job->started = true;
        twf_axes_go(&machine->axes, seat, stop_at(machine, twf_job_position(job)));
        start(shuttle, TWF_SHUTTLE_TO_TILE);
    } else if ((job->sensors & TWF_SENSOR_DIVERTED) != 0 && !job->carrying) {
        job->carrying = true;
        go_to_chute(machine, seat);
        start(shuttle, TWF_SHUTTLE_TO_CHUTE);
    }
}

/* Behind each way, an odd number, comes what the gripper does there; it takes a tile or leaves it by turns. */
static bool takes(uint8_t phase) {
    return phase % 4u == TWF_SHUTTLE_GRIPPING;
}

static void arrive(struct twf_machine *machine, uint8_t seat) {
    struct twf_shuttle *shuttle = &machine->shuttle[seat];
    start(shuttle, (uint8_t)(shuttle->phase + 1u));
    grip(machine, seat, takes(shuttle->phase));
}

static bool is_up(const struct twf_machine *machine, uint8_t seat) {
    return twf_input(&machine->inputs, twf_in_gripper_up(seat));
}

/* Whether its sensor has said "up" ever since the gripper was to work. */
static bool has_stayed_up(const struct twf_machine *machine, uint8_t seat) {
    return !machine->shuttle[seat].lowered && is_up(machine, seat);
}

/* What moves faster than at a real table is seen later. */
static bool seen_at_once(const struct twf_machine *machine) {
    return machine->table.speed_percent <= 100u && !twf_table_manual(&machine->table);
}

/* A tile comes to a gripper or leaves it at the lower end of its way. */
static bool works_up(const struct twf_machine *machine, uint8_t seat) {
    return seen_at_once(machine) ? is_up(machine, seat) : has_stayed_up(machine, seat);
}

static bool at_place(const struct twf_machine *machine, uint8_t seat) {
    return twf_input(&machine->inputs, twf_in_at_place(seat));
}

/* A carriage that has lost steps stands beside every place, and one that was held is still at the return lane, or not yet. */
static bool sees_place(const struct twf_machine *machine, uint8_t seat) {
    const bool to_lane = machine->axes.axis[seat].target == 0;
    return at_place(machine, seat) && twf_input(&machine->inputs, twf_in_home(seat)) == to_lane;
}

static bool travels(uint8_t phase) {
    return phase % 2u != 0;
}

static uint16_t limit_ms(uint8_t phase) {
    return takes(phase) ? TWF_PICK_MS : TWF_DROP_MS;
}

/* Nothing has helped: under the job that the shuttle is at, if it is at one. */
static void give_up(struct twf_machine *machine, uint8_t seat, uint8_t fault) {
    const struct twf_shuttle *shuttle = &machine->shuttle[seat];
    const bool works = fault == TWF_FAULT_SHUTTLE && shuttle->phase != TWF_SHUTTLE_IDLE;
    twf_machine_stuck(machine, fault, (uint8_t)(TWF_WHERE_SHUTTLE + seat), works ? first(shuttle) : NULL);
}

/* A carriage that does not arrive finds its end stop and sets out again; a gripper that does not take or leave its tile works the
 * other way round for a while. After three attempts a person is called. */
static void loosen(struct twf_machine *machine, uint8_t seat) {
    struct twf_shuttle *shuttle = &machine->shuttle[seat];
    if (shuttle->attempts == TWF_ATTEMPTS) {
        give_up(machine, seat, TWF_FAULT_SHUTTLE);
        return;
    }
    shuttle->attempts++;
    if (travels(shuttle->phase)) {
        twf_axes_find(&machine->axes, seat);
        start(shuttle, shuttle->phase);
        return;
    }
    grip(machine, seat, !takes(shuttle->phase));
    shuttle->stuck_phase = shuttle->phase;
    start(shuttle, TWF_SHUTTLE_LOOSENING);
}

/* The carriage waits for its next tile at the chute, where it will have to be. */
static void rest(struct twf_machine *machine, uint8_t seat) {
    struct twf_shuttle *shuttle = &machine->shuttle[seat];
    const struct twf_job *next = first(shuttle);
    shuttle->attempts = 0;
    start(shuttle, TWF_SHUTTLE_IDLE);
    if (next == NULL || next->command.type != TWF_TYPE_RETURN)
        go_to_chute(machine, seat);
}

static bool loosens(const struct twf_shuttle *shuttle, uint8_t stuck_phase) {
    return shuttle->phase == TWF_SHUTTLE_LOOSENING && shuttle->stuck_phase == stuck_phase;
}

/* A tile that was late has left the gripper while it worked the other way round: it opens for good before its carriage moves. */
static void open_for_good(struct twf_machine *machine, uint8_t seat) {
    struct twf_shuttle *shuttle = &machine->shuttle[seat];
    grip(machine, seat, false);
    shuttle->stuck_phase = TWF_SHUTTLE_IDLE;
    start(shuttle, TWF_SHUTTLE_LOOSENING);
}

/* A job's tile has left the gripper, which opened as it should in that phase, or was loosened. */
static void leave(struct twf_machine *machine, uint8_t seat, const struct twf_job *job, uint8_t phase) {
    twf_shuttle_forget(machine, seat, job);
    if (machine->shuttle[seat].phase == phase)
        rest(machine, seat);
    else
        open_for_good(machine, seat);
}

static void work_again(struct twf_machine *machine, uint8_t seat) {
    struct twf_shuttle *shuttle = &machine->shuttle[seat];
    if (shuttle->stuck_phase == TWF_SHUTTLE_IDLE) {
        rest(machine, seat);
        return;
    }
    grip(machine, seat, takes(shuttle->stuck_phase));
    start(shuttle, shuttle->stuck_phase);
}

/* At the chute the flag has no current before the tile lies ready there, which it does by the second time. */
static void watch_way(struct twf_machine *machine, uint8_t seat) {
    const bool there = twf_axes_there(&machine->axes, seat);
    const bool may_wait = machine->shuttle[seat].phase == TWF_SHUTTLE_TO_CHUTE && machine->shuttle[seat].attempts == 0;
    const bool stuck = seen_at_once(machine) && twf_axes_between(&machine->axes, seat) && at_place(machine, seat);
    if (there && sees_place(machine, seat))
        arrive(machine, seat);
    else if (stuck || (there && twf_axes_settled(&machine->axes, seat) && !may_wait))
        give_up(machine, seat, TWF_FAULT_SHUTTLE);
    else if (twf_machine_way_late(machine, machine->shuttle[seat].phase_ms, TWF_WAY_MS))
        loosen(machine, seat);
}

static void scan_one(struct twf_machine *machine, uint8_t seat, uint8_t elapsed_ms) {
    struct twf_shuttle *shuttle = &machine->shuttle[seat];
    const uint8_t fault = twf_axes_fault(&machine->axes, seat);
    const bool up = is_up(machine, seat);
    if (fault != TWF_FAULT_NONE) {
        give_up(machine, seat, fault);
        return;
    }
    if (shuttle->phase_ms <= UINT16_MAX - elapsed_ms)
        shuttle->phase_ms = (uint16_t)(shuttle->phase_ms + elapsed_ms);
    if (shuttle->phase == TWF_SHUTTLE_LOOSENING) {
        if (twf_machine_late(machine, shuttle->phase_ms, TWF_PICK_MS))
            work_again(machine, seat);
    } else if (shuttle->phase != TWF_SHUTTLE_IDLE && !travels(shuttle->phase)) {
        if (up && shuttle->lowered && machine->axes.axis[seat].waits_ms > QUICKER_MS && !shuttle->waiting[0]->disturbed)
            twf_machine_disagree(machine, (uint8_t)(TWF_WHERE_SHUTTLE + seat));
        else if (twf_machine_late(machine, shuttle->phase_ms, limit_ms(shuttle->phase)))
            loosen(machine, seat);
    } else if (!up) {
        if (twf_machine_late(machine, shuttle->phase_ms, TWF_DROP_MS))
            give_up(machine, seat, TWF_FAULT_SHUTTLE);
    } else if (shuttle->phase != TWF_SHUTTLE_IDLE) {
        watch_way(machine, seat);
    } else {
        shuttle->phase_ms = 0; /* at rest it counts for how long the gripper has been down */
    }
}

/* A hand has taken the tile from its lane's end once the switch is open after it has had time to bounce. */
static void watch_end(struct twf_machine *machine, uint8_t seat, uint8_t elapsed_ms) {
    struct twf_shuttle *shuttle = &machine->shuttle[seat];
    struct twf_job *job = first(shuttle);
    if (job == NULL || (job->sensors & TWF_SENSOR_PICKED) == 0) {
        shuttle->phase_ms = 0;
    } else if (shuttle->phase_ms < BOUNCES_MS) {
        shuttle->phase_ms += elapsed_ms;
    } else if (!twf_input(&machine->inputs, (uint16_t)(TWF_IN_CELL_FULL + seat))) {
        twf_job_saw(job, TWF_SENSOR_DROPPED);
        twf_machine_end(machine, job);
    }
}

void twf_shuttle_scan(struct twf_machine *machine, uint8_t elapsed_ms) {
    for (uint8_t seat = 0; seat < twf_table_shuttles(&machine->table); seat++) {
        if (machine->table.lanes) {
            watch_end(machine, seat, elapsed_ms);
            continue;
        }
        machine->shuttle[seat].lowered = !has_stayed_up(machine, seat); /* also while the contactor is still closing */
        if (twf_machine_running(machine))
            scan_one(machine, seat, elapsed_ms);
    }
}

void twf_shuttle_picked_edge(struct twf_machine *machine, uint8_t seat, bool holds) {
    struct twf_shuttle *shuttle = &machine->shuttle[seat];
    struct twf_job *job = first(shuttle);
    const bool told = holds == twf_machine_shows(machine, twf_out_picker(seat)) && !works_up(machine, seat);
    if (shuttle->phase != TWF_SHUTTLE_LOOSENING && !told) {
        twf_machine_disagree(machine, (uint8_t)(TWF_WHERE_SHUTTLE + seat));
        return;
    }
    if (!holds && job != NULL && (shuttle->phase == TWF_SHUTTLE_HANDING || loosens(shuttle, TWF_SHUTTLE_HANDING))) {
        twf_way_back_take(machine, job);
        leave(machine, seat, job, TWF_SHUTTLE_HANDING);
    } else if (holds && job != NULL && takes(shuttle->phase)) {
        const bool brings = job->command.type == TWF_TYPE_RETURN;
        twf_job_saw(job, TWF_SENSOR_PICKED);
        shuttle->attempts = 0;
        twf_axes_go(&machine->axes, seat, brings ? 0 : stop_at(machine, twf_job_position(job)));
        start(shuttle, (uint8_t)(shuttle->phase + 1u));
    }
}

bool twf_shuttle_tray_edge(struct twf_machine *machine, uint8_t of_seat, uint8_t position, bool full) {
    const uint8_t seat = twf_table_shuttle(&machine->table, of_seat, position);
    struct twf_shuttle *shuttle = &machine->shuttle[seat];
    struct twf_job *job = first(shuttle);
    if (job == NULL)
        return false;
    if (loosens(shuttle, TWF_SHUTTLE_TAKING) && twf_job_position(job) == position)
        return true; /* it was gripped too late, and is let go once more */
    if (!full)
        return (shuttle->phase == TWF_SHUTTLE_TAKING || shuttle->phase == TWF_SHUTTLE_BRINGING) && twf_job_position(job) == position;
    if (shuttle->phase != TWF_SHUTTLE_DROPPING && !loosens(shuttle, TWF_SHUTTLE_DROPPING))
        return false;
    if (shuttle->phase == TWF_SHUTTLE_DROPPING && works_up(machine, seat)) {
        twf_machine_disagree(machine, (uint8_t)(TWF_WHERE_SHUTTLE + seat));
        return true;
    }
    twf_job_saw(job, TWF_SENSOR_DROPPED);
    if (twf_job_position(job) != position)
        job->sensors |= TWF_SENSOR_OUT_OF_ORDER;
    leave(machine, seat, job, TWF_SHUTTLE_DROPPING);
    twf_machine_end(machine, job);
    return true;
}

uint8_t twf_shuttle_of(const struct twf_machine *machine, const struct twf_job *job) {
    return twf_table_shuttle(&machine->table, twf_job_seat(job), twf_job_position(job));
}

/* Whether an exchanger is on its way with, or to, a job's tile. */
static bool is_brought(const struct twf_machine *machine, const struct twf_job *job) {
#if TWF_SEVERAL
    for (uint8_t i = 0; i < TWF_EXCHANGERS; i++)
        if (machine->exchanger[i].job == job)
            return true;
#endif
    (void)machine;
    (void)job;
    return false;
}

/* Whether a job's tile waits in the chute, or a diverter or an exchanger is bringing it just now. */
static bool is_near(const struct twf_machine *machine, const struct twf_job *job) {
    if ((job->sensors & TWF_SENSOR_PICKED) != 0)
        return false;
    if ((job->sensors & TWF_SENSOR_DIVERTED) != 0 || is_brought(machine, job))
        return true;
    for (uint8_t gate = 0; gate < twf_table_gates(&machine->table); gate++)
        if (machine->lane[gate].active == job && !job->exchanged)
            return true;
    return false;
}

bool twf_shuttle_has_room(const struct twf_machine *machine, const struct twf_job *job) {
    const struct twf_shuttle *shuttle = &machine->shuttle[twf_shuttle_of(machine, job)];
    uint8_t tiles = 0;
    for (uint8_t i = 0; i < shuttle->count; i++) {
        const struct twf_job *other = shuttle->waiting[i];
        if (!is_near(machine, other))
            continue;
        tiles++;
#if TWF_SEVERAL
        /* Diverter and exchangers lead to one chute: of two tiles that come at once nobody could say which lies in front. */
        if ((other->sensors & TWF_SENSOR_DIVERTED) == 0)
            return false;
#endif
    }
    return tiles < machine->table.shuttle_queue;
}

void twf_shuttle_comes(struct twf_machine *machine, struct twf_job *job) {
#if TWF_SEVERAL
    const uint8_t number = twf_shuttle_of(machine, job);
    struct twf_shuttle *shuttle = &machine->shuttle[number];
    uint8_t before = 0;
    twf_shuttle_forget(machine, number, job);
    while (before < shuttle->count && (shuttle->waiting[before]->command.type == TWF_TYPE_RETURN ||
                                       (shuttle->waiting[before]->sensors & TWF_SENSOR_DIVERTED) != 0))
        before++;
    for (uint8_t i = shuttle->count; i > before; i--)
        shuttle->waiting[i] = shuttle->waiting[i - 1u];
    shuttle->waiting[before] = job;
    shuttle->count++;
#else
    (void)machine;
    (void)job;
#endif
}

void twf_shuttle_home(struct twf_machine *machine) {
    for (uint8_t seat = 0; seat < twf_table_shuttles(&machine->table); seat++) {
        struct twf_shuttle *shuttle = &machine->shuttle[seat];
        grip(machine, seat, twf_shuttle_holds(machine, seat));
        shuttle->attempts = 0;
        start(shuttle, TWF_SHUTTLE_IDLE);
        twf_axes_go(&machine->axes, seat, 0);
        twf_axes_find(&machine->axes, seat);
    }
}

bool twf_shuttle_let_go(struct twf_machine *machine) {
    const bool clear = twf_way_back_all_clear(machine); /* then the belts stand */
    bool empty = true;
    for (uint8_t seat = 0; seat < twf_table_shuttles(&machine->table); seat++) {
        if (clear && twf_shuttle_rests(machine, seat) && twf_machine_shows(machine, twf_out_picker(seat))) {
            grip(machine, seat, false);
            start(&machine->shuttle[seat], TWF_SHUTTLE_IDLE);
        }
        empty = empty && !twf_shuttle_holds(machine, seat);
    }
    return empty;
}

bool twf_shuttle_holds(const struct twf_machine *machine, uint8_t seat) {
    return twf_input(&machine->inputs, twf_in_picked(seat));
}

bool twf_shuttle_comes_to_end(struct twf_machine *machine, uint8_t seat) {
    struct twf_job *job = seat < TWF_SEATS ? first(&machine->shuttle[seat]) : NULL;
    if (job == NULL || (job->sensors & (TWF_SENSOR_DIVERTED | TWF_SENSOR_PICKED)) != TWF_SENSOR_DIVERTED)
        return false;
    twf_job_saw(job, TWF_SENSOR_PICKED);
    return true;
}
