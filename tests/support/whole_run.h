/* SPDX-License-Identifier: MIT */
/*
 * For tests of the collector with real targets: one recording from beginning to end, into a sink that keeps everything.
 */
#ifndef TESTS_WHOLE_RUN_H
#define TESTS_WHOLE_RUN_H

#include "check.h"
#include "collect/collect.h"
#include "keep_sink.h"

/* One recording from beginning to end. */
struct run {
	struct keep_sink keep;
	struct collect *collect;
	struct ct_record_stats stats;
	struct ct_error trouble;
	enum ct_status status;
};

static inline void run_open(struct run *run, const char *const *command)
{
	struct ct_record_options options = {
		.size = sizeof(options), .command = (char *const *)(uintptr_t)command};

	memset(run, 0, sizeof(*run));
	keep_init(&run->keep);
	run->status = collect_open(&options, &run->keep.sink, &run->collect, &run->trouble);
	if (run->status == CT_OK)
		collect_stats(run->collect, &run->stats);
}

static inline void run_to_end(struct run *run)
{
	while ((run->status = collect_step(run->collect, 100, &run->trouble)) == CT_OK)
		;
	CHECK_EQUAL(run->status, CT_END);
	CHECK_EQUAL(collect_finish(run->collect, &run->trouble), CT_OK);
	collect_stats(run->collect, &run->stats);
	CHECK_EQUAL(run->keep.nr_disorder, 0);
	CHECK(run->keep.definitions.count > 0 &&
		run->keep.definitions.at[run->keep.definitions.count - 1].type == CT_DEFINE_END);
}

static inline void run_close(struct run *run)
{
	collect_close(run->collect);
	keep_fini(&run->keep);
}

/* Steps until this many records have come. */
static inline void step_until(struct run *run, size_t nr_records)
{
	while (run->keep.records.count < nr_records && run->status == CT_OK)
		run->status = collect_step(run->collect, 100, &run->trouble);
	CHECK_EQUAL(run->status, CT_OK);
}

/* The first record of a kind; NULL: there is none. */
static inline const struct kept_record *first_of_kind(const struct run *run, unsigned kind)
{
	size_t i;

	for (i = 0; i < run->keep.records.count; i++)
		if (CTP_TAIL_KIND(run->keep.records.at[i].record.tail) == kind)
			return &run->keep.records.at[i];
	return NULL;
}

/* Steps until the engine has recorded an event of this kind. */
static inline void step_until_kind(struct run *run, unsigned kind)
{
	while (!first_of_kind(run, kind) && run->status == CT_OK)
		run->status = collect_step(run->collect, 100, &run->trouble);
	CHECK_EQUAL(run->status, CT_OK);
}

#endif
