/* The whole table as the firmware knows it: one struct, and the modules that share it. No module includes one that includes it: what all
 * of them need of each other is here, and `run` calls them.
 *
 *   link/        frames, stored answers, events and reports
 *   board/       signals, calls to the board, and the table's record
 *   sensors/     inputs (debounced levels), gates (which stand open), edges (what each change means)
 *   operations/  operations (what each does at once), jobs (those that move something), locks (gates and their leases),
 *                bring_up (one output at a time, before the machine can home)
 *   motion/      motion (which operation may be taken on, which motion may begin), axes (steppers), shuttle (carriages and
 *                grippers), lane (gate, diverter, bypass cells, drum, reject mouth), way_back (from return lanes to the gate),
 *                exchangers (between several gates), cams (floors, lift, door), homing (everything to its place, nothing in a
 *                gripper or a lane)
 *   machine      power, faults and the ends of jobs
 *   run          time, and the order in which it passes through the modules
 *
 * Time enters by twf_run_scan alone. Occupancy is what the debounced switches say; a change that no motion explains is told as
 * a fault. Answers and events go out through `finished` and `events`.
 */
#ifndef TWF_MACHINE_H
#define TWF_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "board/board.h"
#include "board/table.h"
#include "link/events.h"
#include "link/twf_layout.h"
#include "motion/axes.h"
#include "operations/jobs.h"
#include "sensors/inputs.h"

/* More than this the lane never has waiting: every shuttle's jobs and one that is for none. */
#define TWF_LANE_QUEUE (TWF_SHUTTLES * (TWF_MOST_QUEUE + 1u) + 1u)
#define TWF_SHUTTLE_QUEUE (TWF_MOST_QUEUE + 2u)

enum twf_lane_phase { TWF_LANE_IDLE, TWF_LANE_TURNING, TWF_LANE_MOVING, TWF_LANE_LOOSENING };
/* What is late is reversed twice and jogged once before a person is called. */
#define TWF_ATTEMPTS 3u

struct twf_lane {
    struct twf_job *waiting[TWF_LANE_QUEUE];
    uint8_t count;
    struct twf_job *active;
    struct twf_job *gate_job; /* has the tile in the gate */
    struct twf_job *returning;
    uint8_t phase;
    uint16_t phase_ms;  /* since the phase began, while there was power */
    uint8_t attempts;   /* to loosen what is stuck now */
    uint8_t stands_at;  /* the diverter */
    uint16_t entering_ms; /* left for a tile that has passed the barrier to come to rest */
    uint16_t handed_ms; /* for which the belts have run since a tile was handed over, or has come to the barrier before the gate */
    bool on_way;        /* between the mouths and that barrier is a returned tile, or after a boot may be one */
    uint32_t waited_ms; /* for a tile, with the belt on and the window empty; or since the window is full */
    uint16_t waits_ms;  /* for which that barrier has been dark, */
    bool waits;         /* so long that a tile waits there */
    uint8_t quick;      /* tiles in a row that the drum brought quickly while it was far from empty */
    uint8_t pulses;     /* of the barrier, since the last tile came to rest */
    uint32_t longest_us;
};

/* In this order, and LOOSENING even and no multiple of 4 plus 2: shuttle.c, travels() and takes(). */
enum twf_shuttle_phase {
    TWF_SHUTTLE_IDLE,
    TWF_SHUTTLE_TO_CHUTE,
    TWF_SHUTTLE_GRIPPING,
    TWF_SHUTTLE_CARRYING,
    TWF_SHUTTLE_DROPPING,
    TWF_SHUTTLE_TO_TILE,
    TWF_SHUTTLE_TAKING,
    TWF_SHUTTLE_BRINGING,
    TWF_SHUTTLE_HANDING,
    TWF_SHUTTLE_LOOSENING = 12
};

struct twf_shuttle {
    struct twf_job *waiting[TWF_SHUTTLE_QUEUE];
    uint8_t count;
    uint8_t phase;
    uint8_t stuck_phase; /* while loosening: what it was about to do */
    uint16_t phase_ms;
    uint8_t attempts;
    bool lowered; /* the gripper has been down since it was last told to work */
};

#if TWF_SEVERAL
struct twf_exchanger {
    struct twf_job *job;
    uint16_t phase_ms; /* since it set out, or has been running to and fro */
    uint8_t attempts;
    bool loosening;
};

/* Jobs whose tile waits for an exchanger, in the order of their coming. */
struct twf_pockets {
    struct twf_job *waiting[TWF_READING_GATES * TWF_MOST_POCKET];
    uint8_t count;
};
#endif

struct twf_cams {
    struct twf_job *floors; /* DUMP */
    struct twf_job *lift;
    struct twf_job *door;
    uint8_t falling;     /* seats whose floor has still to shut */
    uint8_t pulse_ms;    /* left of the pulse that starts a cam */
    uint8_t settle_ms;   /* left until switches over a shut floor count */
    uint16_t phase_ms;
    uint16_t away_ms;    /* of it the lift's switch has been off */
    uint16_t door_ms;
    uint8_t rising[TWF_SEATS * TWF_PLACE_BYTES]; /* places full when the lift was set off; of a hand's, until its tile was seen above */
};

struct twf_homing {
    bool going;
    bool purging;      /* the purge has been set off, */
    bool turned;       /* its switch has been seen to open, */
    bool purged;       /* and to close again */
    uint8_t pulse_ms;  /* left of the pulse that sets it off */
    uint8_t turning;   /* the lift or the floor that was seen on its turn last, */
    uint16_t rest_ms;  /* since when neither is; */
    uint16_t turn_ms;  /* for how long they have been waited for since the motors last got current, */
    uint16_t phase_ms; /* and all else after them */
};

struct twf_locks {
    struct twf_job *opening[TWF_GATES];
    uint32_t until_ms[TWF_GATES];
    int16_t moving_ms[TWF_GATES]; /* since a coil was switched */
    uint8_t leased;                /* a bit per gate */
    uint8_t coils;
    uint8_t rear_lifted[TWF_SEATS]; /* of the rear gate's places, those whose tile left by it */
    uint8_t drawn;                  /* a bit per bolt, when it was last looked at */
    uint8_t due;                    /* a bit per blind that may have to move on */
};

/* Not seen to leave since then; seen so in bring-up. 255 is not known. */
#define TWF_LIFT_SET_OFF 1u
#define TWF_LIFT_SEEN_AWAY 2u

/* What a board keeps without power: bytes, as they are in its memory. */
struct twf_kept {
    uint8_t barred[TWF_SEATS]; /* by a blind: the first position that it has not freed, or one behind it */
    uint8_t lift_out;          /* the lift has been set off (TWF_LIFT_*), and has not had time for its turn; 0 if not */
};

struct twf_bring_up {
    struct twf_job *job; /* the output that is driven */
    uint16_t left_ms; /* until the motors have current, then until it goes off */
    bool on;
    bool unfinished; /* it is over when a person has cleared STOP, also if the board has started again since it began */
};

enum twf_counter {
    TWF_COUNT_ARRIVED,
    TWF_COUNT_PLACED,
    TWF_COUNT_BYPASSED,
    TWF_COUNT_RELEASED,
    TWF_COUNT_RETURNED,
    TWF_COUNT_RECIRCULATED,
    TWF_COUNT_REJECTED,
    TWF_COUNT_DUMPED,
    TWF_COUNT_TAKEN,
    TWF_COUNT_DRAWN,
    TWF_COUNT_PUT_BACK,
    TWF_COUNTERS
};

struct twf_machine;
typedef void twf_finished(struct twf_machine *machine, const struct twf_job *job);

struct twf_machine {
    struct twf_table table;
    struct twf_inputs inputs;
    struct twf_events events;
    struct twf_jobs jobs;
    struct twf_axes axes;
    struct twf_lane lane[TWF_READING_GATES];
    struct twf_shuttle shuttle[TWF_SHUTTLES];
#if TWF_SEVERAL
    struct twf_exchanger exchanger[TWF_EXCHANGERS];
    struct twf_pockets pockets;
#endif
    struct twf_cams cams;
    struct twf_homing homing;
    struct twf_locks locks;
    struct twf_kept kept;
    struct twf_bring_up bring_up;
    twf_finished *finished;
    uint8_t outputs[TWF_OUTPUT_BYTES];
    uint32_t now_ms;
    uint32_t count[TWF_COUNTERS];
    uint32_t well;
    uint16_t faults;
    uint8_t disagreeing; /* a bit per tray that has been told as such */
    uint8_t dark[2];     /* barriers that have been dark since then: byte 0 of the inputs, and that of LID_OPEN */
    uint32_t dark_ms;
    uint8_t scan;        /* counts readings, modulo TWF_SLOW_SCANS */
    uint8_t readings;    /* whole ones since the boot, until the inputs are trusted */
    bool adopted;
    uint16_t power_ms;   /* left until the contactor has closed and, on the way home, grippers have opened */
    bool motors_on;
    uint16_t driver_ms;  /* for how long the drivers' line has been what it must not be */
    uint16_t idle_ms;    /* since something last moved, or was to */
    uint16_t drum_ms;    /* for how long the drum has turned or stood other than DRUM says */
    bool drum_empty;     /* DRUM_EMPTY since the last tile came to rest */
    bool feeding;        /* FEED was the last word */
    bool powered;        /* the host has been heard lately enough for the motors to run */
    bool allowed;        /* something new may begin */
    bool well_told;      /* no news from the well */
    uint32_t well_at_ms; /* when it is told */
};

/* A boot: outputs off, nothing known. Reading inputs and homing follow by twf_run_scan. */
void twf_machine_init(struct twf_machine *machine, twf_finished *finished);

/* Nothing is in any lane, and where its diverter stands is not known. */
void twf_machine_forget_lanes(struct twf_machine *machine);

/* A fault forbids motion: a stuck part, emergency stop, lid or STOP. */
bool twf_machine_stopped(const struct twf_machine *machine);

/* Give the motors current, or cut it. */
void twf_machine_power(struct twf_machine *machine, bool on);

/* Motors have had current for long enough to move. */
bool twf_machine_running(const struct twf_machine *machine);

/* Flags of BEAT and STATUS_STATE, but for SESSION. */
uint8_t twf_machine_flags(const struct twf_machine *machine);

/* Motion is cut: what is on its way cannot be trusted any more. */
void twf_machine_disturb(struct twf_machine *machine);

/* Faults after which nothing moves until a person has freed the part. */
#define TWF_FAULT_BIT(code) ((uint16_t)(1u << (code)))
#define TWF_STUCK_FAULTS \
    (TWF_FAULT_BIT(TWF_FAULT_JAM) | TWF_FAULT_BIT(TWF_FAULT_SHUTTLE) | TWF_FAULT_BIT(TWF_FAULT_NO_TILE) | \
     TWF_FAULT_BIT(TWF_FAULT_HOME_OPEN) | TWF_FAULT_BIT(TWF_FAULT_HOME_SHUT) | TWF_FAULT_BIT(TWF_FAULT_DRIVER) | \
     TWF_FAULT_BIT(TWF_FAULT_SENSORS_DISAGREE))
/* These and a person's stops: until CLEAR nothing moves. */
#define TWF_STOPPING_FAULTS \
    (TWF_STUCK_FAULTS | TWF_FAULT_BIT(TWF_FAULT_ESTOP) | TWF_FAULT_BIT(TWF_FAULT_STOP) | TWF_FAULT_BIT(TWF_FAULT_LID))

/* The gate at which a command's tile is, or to which it comes back; the machine may not have it. */
uint8_t twf_machine_gate_of(const struct twf_machine *machine, const struct twf_command *command);

/* For the modules: tell an event of two bytes, end a job, tell a fault. */
void twf_machine_tell(struct twf_machine *machine, uint8_t type, uint8_t first, uint8_t second);
void twf_machine_end(struct twf_machine *machine, struct twf_job *job);
void twf_machine_fault(struct twf_machine *machine, uint8_t code, uint8_t where, uint32_t operation);

/* For the modules: nothing has helped. A fault that names the place is told, its job (NULL for none) has failed; where it is one of
 * TWF_STUCK_FAULTS nothing moves until a person has cleared it. */
void twf_machine_stuck(struct twf_machine *machine, uint8_t code, uint8_t where, struct twf_job *job);

/* For the modules: a sensor tells what nothing that moves explains. Where people do all the work, while the machine stands and on the way
 * home it may. */
void twf_machine_disagree(struct twf_machine *machine, uint8_t where);

/* Set an output; here, so that a constant number becomes the setting of one bit. */
static inline void twf_machine_output(struct twf_machine *machine, uint8_t number, bool on) {
    uint8_t *byte = &machine->outputs[number / 8u];
    const uint8_t bit = twf_mask((uint8_t)(number % 8u));
    *byte = (uint8_t)(on ? *byte | bit : *byte & (uint8_t)~bit);
}

static inline bool twf_machine_shows(const struct twf_machine *machine, uint8_t number) {
    return twf_bit_of(machine->outputs, number);
}

/* Later than half as long again as a time of the reference table takes here; where people work nothing is. */
bool twf_machine_late(const struct twf_machine *machine, uint32_t since_ms, uint16_t reference_ms);

/* The same for carriages, which may have to find their end switches first. */
bool twf_machine_way_late(const struct twf_machine *machine, uint16_t since_ms, uint16_t reference_ms);

#endif
