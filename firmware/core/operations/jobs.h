/* An operation that moves something, from its acceptance to its last edge. */
#ifndef TWF_JOBS_H
#define TWF_JOBS_H

#include <stdbool.h>
#include <stdint.h>

#include "../board/board.h"
#include "../link/answers.h"

/* Per shuttle what it carries and its queue, one RETURN ahead of them; one in each lane that is for no shuttle and one behind
 * it; a dump or the lift; the door; an opening lock per gate. */
#define TWF_MOST_JOBS (TWF_SHUTTLES * (TWF_MOST_QUEUE + 1u) + 1u + 2u * TWF_READING_GATES + 1u + 1u + TWF_GATES)

struct twf_job {
    uint32_t operation; /* 0: free */
    uint32_t accepted_ms;
    struct twf_command command;
    uint16_t sensors;
    uint8_t edges_seen;
    bool started : 1;
    bool carrying : 1; /* the shuttle has been sent for its tile */
    bool disturbed : 1;
    bool failed : 1;    /* a fault has ended it */
    bool aborted : 1;   /* given up before anything moved */
    bool exchanged : 1; /* its tile changes gates */
    bool entering : 1;  /* its tile has come from the return lane and has waited before the gate */
};

struct twf_jobs {
    struct twf_job job[TWF_MOST_JOBS];
};

void twf_jobs_init(struct twf_jobs *jobs);

/* A free place for a job, filled and not begun; NULL when there is none. */
struct twf_job *twf_jobs_add(struct twf_jobs *jobs, uint32_t operation, const struct twf_command *command, uint32_t now_ms);

/* Note an edge; one that does not follow its predecessor marks the job as out of order (invariant: a place is trusted only
 * when gate, diverter, picker and tray follow each other under one operation). */
void twf_job_saw(struct twf_job *job, uint16_t sensor);

/* How it has ended. */
struct twf_answer twf_job_report(const struct twf_job *job, uint32_t now_ms);

/* Seat, position or cell of a job that has one. */
uint8_t twf_job_seat(const struct twf_job *job);
uint8_t twf_job_position(const struct twf_job *job);
uint8_t twf_job_cell(const struct twf_job *job);

/* Whether it moves a lock and nothing else. */
bool twf_job_locks(const struct twf_job *job);

/* Whether it fills a place of a tray. */
bool twf_job_fills(const struct twf_job *job);

#endif
