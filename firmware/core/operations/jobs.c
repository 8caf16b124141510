#include "jobs.h"

#include <string.h>

void twf_jobs_init(struct twf_jobs *jobs) {
    memset(jobs, 0, sizeof *jobs);
}

struct twf_job *twf_jobs_add(struct twf_jobs *jobs, uint32_t operation, const struct twf_command *command, uint32_t now_ms) {
    for (uint8_t i = 0; i < TWF_MOST_JOBS; i++) {
        struct twf_job *job = &jobs->job[i];
        if (job->operation != 0)
            continue;
        memset(job, 0, sizeof *job);
        job->operation = operation;
        job->accepted_ms = now_ms;
        job->command = *command;
        return job;
    }
    return NULL;
}

/* The edge that has to come as number `seen` (from 0) of an operation, 0 when there is none; false: its order is not told. */
static bool expected_edge(uint8_t type, uint8_t seen, uint16_t *sensor) {
    static const uint16_t onward[3] = {TWF_SENSOR_DIVERTED, TWF_SENSOR_PICKED, TWF_SENSOR_DROPPED};
    uint16_t first = TWF_SENSOR_GATE_LEFT;
    uint16_t second = 0;
    switch (type) {
    case TWF_TYPE_RELEASE:
        first = TWF_SENSOR_CELL_OUT;
        break;
    case TWF_TYPE_PLACE:
        break;
    case TWF_TYPE_BYPASS:
        second = TWF_SENSOR_CELL_IN;
        break;
    case TWF_TYPE_RECIRCULATE:
        second = TWF_SENSOR_DRUM_IN;
        break;
    case TWF_TYPE_REJECT:
        second = TWF_SENSOR_REJECT_IN;
        break;
    case TWF_TYPE_RETURN:
        first = TWF_SENSOR_PICKED;
        second = TWF_SENSOR_GATE_ENTERED;
        break;
    default:
        return false;
    }
    if (seen == 0)
        *sensor = first;
    else if (second != 0)
        *sensor = seen == 1u ? second : 0;
    else
        *sensor = seen <= 3u ? onward[seen - 1u] : 0;
    return true;
}

void twf_job_saw(struct twf_job *job, uint16_t sensor) {
    uint16_t expected = 0;
    const uint8_t seen = job->exchanged && job->edges_seen > 1u ? (uint8_t)(job->edges_seen - 1u) : job->edges_seen;
    if (expected_edge(job->command.type, seen, &expected)) {
        if (job->exchanged && job->edges_seen == 1u)
            expected = TWF_SENSOR_EXCHANGED;
        if (expected != sensor)
            job->sensors |= TWF_SENSOR_OUT_OF_ORDER;
        if (job->edges_seen < UINT8_MAX)
            job->edges_seen++;
    }
    job->sensors |= sensor;
}

struct twf_answer twf_job_report(const struct twf_job *job, uint32_t now_ms) {
    struct twf_answer answer = {.type = TWF_TYPE_DONE, .code = TWF_RESULT_OK, .sensors = job->sensors, .ms = now_ms - job->accepted_ms};
    if (job->aborted)
        answer.code = TWF_RESULT_ABORTED;
    else if (job->failed)
        answer.code = TWF_RESULT_FAILED;
    else if (job->disturbed || (job->sensors & TWF_SENSOR_OUT_OF_ORDER) != 0)
        answer.code = TWF_RESULT_DISTURBED;
    return answer;
}

uint8_t twf_job_seat(const struct twf_job *job) {
    return job->command.argument[job->command.type == TWF_TYPE_RELEASE || job->command.type == TWF_TYPE_DUMP ? 1 : 0];
}

uint8_t twf_job_position(const struct twf_job *job) {
    return job->command.argument[job->command.type == TWF_TYPE_RELEASE ? 2 : 1];
}

uint8_t twf_job_cell(const struct twf_job *job) {
    return job->command.argument[0];
}

bool twf_job_locks(const struct twf_job *job) {
    return job->command.type == TWF_TYPE_UNLOCK;
}

bool twf_job_fills(const struct twf_job *job) {
    return job->command.type == TWF_TYPE_PLACE || job->command.type == TWF_TYPE_RELEASE;
}
