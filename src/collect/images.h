/* SPDX-License-Identifier: MIT */
/*
 * Segments of programs that are no more, although their process lives: exec took their memory away.
 *
 * The engine's mapping would keep that memory, and the segment its place, to the process's end; and some processes
 * call exec without end.
 */
#ifndef COLLECT_IMAGES_H
#define COLLECT_IMAGES_H

struct collect;
struct segment;

/*
 * collect_images_note_arrival: this segment has come: harvests others of its process for the last time that it has no
 * more.
 */
void collect_images_note_arrival(struct collect *collect, const struct segment *segment);

/*
 * collect_images_give_back: the same of every process. A segment that cannot be judged stays. Reads /proc/PID/maps once
 * for each process.
 */
void collect_images_give_back(struct collect *collect);

#endif
