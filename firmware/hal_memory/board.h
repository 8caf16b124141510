/* A board without a machine: its time stands still until it is told to run, its pins are bytes in memory.
 *
 * The simulator, the station, tests and fuzzers load it as a shared library or link it. One board runs at a time; any number can exist.
 */
#ifndef TWINWALL_MEMORY_BOARD_H
#define TWINWALL_MEMORY_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_board;

/* How many bytes of inputs and of outputs a board has, how many diverters, how many carriages, and how many bytes it keeps. */
void memory_board_sizes(uint16_t sizes[5]);

/* A board without power; NULL when there is no memory. */
struct memory_board *memory_board_new(void);
void memory_board_free(struct memory_board *board);

/* Give it power at a time in microseconds, with carriages where they stand and no further to go than `most_steps`. `kept`
 * is what a real board's memory keeps in bytes 69 to 73 (BOARD.md). */
void memory_board_boot(struct memory_board *board, const uint8_t *record, uint32_t boot_id, uint8_t reset_reason, uint64_t now_us,
                       const int32_t *steps, int32_t most_steps, uint8_t *kept);

/* Bytes from the host, and to it: how many wait there now, and how many there were. */
size_t memory_board_receive(struct memory_board *board, const uint8_t *bytes, size_t count);
size_t memory_board_take(struct memory_board *board, uint8_t *bytes, size_t most);

/* What has happened during a run: a bit for each carriage that has moved, then whether the outputs or a servo have changed, and
 * whether bytes wait for the host. */
enum { MEMORY_BOARD_MOVED = 0xff, MEMORY_BOARD_CHANGED = 0x100, MEMORY_BOARD_SAID = 0x200 };

/* Run until this time, or until the outputs or the servo change or something is said: the time reached comes back, and `news`. */
uint64_t memory_board_run(struct memory_board *board, uint64_t until_us, uint16_t *news);

/* The time that memory_board_run would reach; nothing changes. */
uint64_t memory_board_foresee(struct memory_board *board, uint64_t until_us);

/* An input goes to a level at a time to come; inputs of one time in the order in which they were planned. Returns false where there
 * is no room or no such input. */
bool memory_board_plan(struct memory_board *board, uint64_t at_us, uint16_t number, uint8_t level);

/* All inputs, or one of them, from now on. */
void memory_board_image(struct memory_board *board, const uint8_t *inputs);
void memory_board_input(struct memory_board *board, uint16_t number, uint8_t level);

/* An input reads low or high from now on, whatever its wire says, or as its wire says again. */
enum memory_board_reading { MEMORY_BOARD_LOW, MEMORY_BOARD_HIGH, MEMORY_BOARD_FREE };
void memory_board_stick(struct memory_board *board, uint16_t number, uint8_t how);

/* From now on a carriage is driven by the pulses of another axis, or of its own, and does not follow them, or the other way round;
 * its belt slips by so many steps. */
enum memory_board_drive { MEMORY_BOARD_RUNS, MEMORY_BOARD_BLOCKED, MEMORY_BOARD_UNPLUGGED, MEMORY_BOARD_REVERSED };
void memory_board_carriage(struct memory_board *board, uint8_t shuttle, uint8_t driven_by, uint8_t drive, int32_t slips);

/* What the outputs show, each diverter's pulse in microseconds, where the carriages stand, and what the firmware is doing. */
void memory_board_outputs(const struct memory_board *board, uint8_t *outputs, uint32_t *servo_us, int32_t *steps);
uint8_t memory_board_state(const struct memory_board *board);

/* How many frames have come whole, and how many pieces were damaged. */
void memory_board_line(const struct memory_board *board, uint32_t *frames, uint32_t *damaged);

#endif
