/* SPDX-License-Identifier: MIT */
/*
 * Habits of reading (read_habits.h): one record for each coroutine that has read from a descriptor itself.
 */
#include <inttypes.h>

#include "analyze/parts.h"
#include "analyze/watched_places.h"
#include "analyze/read_habits.h"

#define LEAST_READS 10u /* fewer do not show a habit */
#define SHARE_OTHERS 10u

struct of_coro {
	uint64_t handle; /* of the descriptor; 0: it has read from none */
	int64_t slowest_ns;
	uint32_t nr_read; /* waits that ended after a report of it, and led to a read */
	uint32_t nr_else; /* waits that ended otherwise, and reads elsewhere */
	bool is_due;      /* the last wait ended after a report, and no read has followed yet */
};

static bool was_reported(const struct model_descriptor *descriptor, const struct model_coro *coro)
{
	return descriptor->process && descriptor->ready != CT_NO_TIME &&
	       descriptor->ready_from >= coro->suspended;
}

/* Did it put itself into a queue, to go on in its turn? */
static bool has_yielded(const struct model_coro *coro, uint32_t index)
{
	return coro->turns->wake.coro == index && coro->turns->wake.time >= coro->suspended;
}

static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[sight->coro];
	struct of_coro *of = model_watch_rare(watch, sight->coro);
	const struct model_descriptor *descriptor;
	int64_t late_ns;

	if (!model->processes[coro->process].has_reads || !of->handle ||
		coro->suspended == CT_NO_TIME || has_yielded(coro, sight->coro))
		return true;
	descriptor =
		&model->descriptors.at[model_find_descriptor(model, coro->process, of->handle)];
	of->nr_else += of->is_due;
	of->is_due = was_reported(descriptor, coro);
	of->nr_else += !of->is_due;
	late_ns = of->is_due ? ct_time_between(descriptor->ready_from, sight->event->time) : 0;
	if (late_ns > of->slowest_ns)
		of->slowest_ns = late_ns;
	return true;
}

static bool look_at_transfer(struct model_watch *watch, const struct model_sight *sight)
{
	struct of_coro *of = model_watch_rare(watch, sight->coro);
	const struct ct_event *event = sight->event;

	if (event->argument != 1 || (int64_t)event->coro <= 0)
		return true;
	if (of->handle != event->object && of->nr_else >= of->nr_read) {
		*of = (struct of_coro){.handle = event->object};
	} else if (of->handle != event->object) {
		of->nr_else++;
	} else if (of->is_due) {
		of->nr_read++;
		of->is_due = false;
	}
	return true;
}

const struct model_watcher analyze_read_habits_watcher = {
	.nr_rare_bytes = sizeof(struct of_coro),
	.looks = {[MODEL_RUN] = look_at_run, [MODEL_TRANSFER] = look_at_transfer},
};

/* ---------------------------------------------------------------- queries */

static const struct of_coro *record_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_rare(analysis, &analyze_read_habits_watcher, coro);
}

uint32_t analyze_read_habits_descriptor(
	const struct analysis *analysis, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);

	if (of->nr_read < LEAST_READS || of->nr_else > of->nr_read / SHARE_OTHERS ||
		coro->wait_object || coro->rare->descriptor)
		return 0;
	return model_find_descriptor(analysis->model, coro->process, of->handle);
}

int64_t analyze_read_habits_slowest(const struct analysis *analysis, const struct model_coro *coro)
{
	return record_of(analysis, coro)->slowest_ns;
}

bool analyze_read_habits_are_alone(const struct analysis *analysis, const struct model_coro *coro)
{
	return record_of(analysis, coro)->nr_else == 0;
}

/* The other end, if it is in the process; 0: it is not. */
static uint32_t other_end(const struct analysis *analysis, uint32_t index)
{
	const struct model_descriptor *at = analysis->model->descriptors.at;

	return index ? at[at[index].file].mate : 0;
}

ct_time analyze_read_habits_written(const struct analysis *analysis, uint32_t descriptor)
{
	const struct model_descriptor *at = analysis->model->descriptors.at;
	uint32_t mate = other_end(analysis, descriptor);

	return mate && (at[mate].flags & MODEL_DESCRIPTOR_IS_OPEN) && at[mate].written
		       ? at[mate].written
		       : CT_NO_TIME;
}

static void tell_other_end(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	uint32_t mine = analyze_read_habits_descriptor(analysis, coro);
	uint32_t mate_index = other_end(analysis, mine);
	const struct model_descriptor *mate = &analysis->model->descriptors.at[mate_index];

	if (!mate_index || mate->written < coro->suspended)
		return;
	analyze_story_evidence(analysis, story,
		"the other end, %s, is in the process, which wrote there %s after this wait began",
		analyze_words_descriptor(analysis, mate),
		analyze_words_duration(analysis, mate->written - coro->suspended));
}

void analyze_read_habits_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);

	analyze_story_evidence(analysis, story,
		"%" PRIu32 " waits of coroutine %" PRIu64
		" have ended after a poll had reported that descriptor, %s later at most, and it "
		"read there then; %" PRIu32 " ended otherwise",
		of->nr_read, coro->id, analyze_words_duration(analysis, of->slowest_ns),
		of->nr_else);
	tell_other_end(analysis, story, coro);
}
