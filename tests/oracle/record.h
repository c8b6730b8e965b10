/* SPDX-License-Identifier: MIT */
/*
 * A simulated program's trace as a source: what threads wrote, merged by their clocks, which do not quite agree, less
 * what was lost, plus the records that tell of the loss.
 */
#ifndef ORACLE_RECORD_H
#define ORACLE_RECORD_H

#include "stream/stream.h"
#include "world.h"

struct record;

/* record_new: once the world has run. The recorder takes the world's events. */
struct record *record_new(struct world *world);
void record_free(struct record *record);
/* Borrowed from the record. */
struct ct_source *record_source(struct record *record);

#endif
