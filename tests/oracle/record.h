/* SPDX-License-Identifier: MIT */
/*
 * A simulated program's trace as a source: the events of all threads, merged by clocks that disagree a little, without
 * the lost events, but with the records that report the loss.
 */
#ifndef ORACLE_RECORD_H
#define ORACLE_RECORD_H

#include "stream/stream.h"
#include "world.h"

struct record;

/* record_new: must be called after the world has run. The record takes over the world's events. */
struct record *record_new(struct world *world);
void record_free(struct record *record);
/* record_source: borrowed from the record. */
struct ct_source *record_source(struct record *record);

#endif
