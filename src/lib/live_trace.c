/* SPDX-License-Identifier: MIT */
/*
 * A trace of what a running process does now, and of what the kernel reports about it (ct_live_open in ct.h).
 *
 * The trace is recorded into a file in a temporary folder, which is removed before the caller gets the trace.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "corotracer/ct.h"
#include "base/failure.h"
#include "base/known_options.h"
#include "base/scratch.h"
#include "kernel/live.h"
#include "kernel/procfs.h"
#include "session/recording.h"
#include "session/recover.h"
#include "stages/joined.h"
#include "frames/frames.h"
#include "lib/trace.h"

#define WATCH_NS INT64_C(1000000000)
#define STEP_MS 100

struct watch {
	struct ct_live_options options;
	struct analyze_live live;
	struct scratch scratch;
};

/* ---------------------------------------------------------------- recording */

static bool is_asked_to_end(const struct watch *watch)
{
	struct pollfd wake = {.fd = watch->options.wake_descriptor, .events = POLLIN};

	return wake.fd > 0 && poll(&wake, 1, 0) > 0;
}

static enum ct_status harvest(
	const struct watch *watch, struct ct_record *record, struct ct_error *reterr)
{
	uint64_t until_ns = clock_monotonic_ns() + (uint64_t)watch->options.duration_ns;
	enum ct_status status = CT_OK;
	uint64_t now_ns, left_ms;

	while (status == CT_OK && (now_ns = clock_monotonic_ns()) < until_ns &&
		!is_asked_to_end(watch)) {
		left_ms = (until_ns - now_ns) / 1000000 + 1;
		status = ct_record_step(record, left_ms < STEP_MS ? (int)left_ms : STEP_MS, reterr);
	}
	return status;
}

static void look(struct watch *watch)
{
	struct live *seen;

	if (live_look((pid_t)watch->options.pid, &seen, NULL) == CT_OK)
		watch->live.seen = seen;
}

static enum ct_status record(struct watch *watch, struct ct_error *reterr)
{
	struct ct_record_options options = {
		.size = sizeof(options),
		.output = watch->scratch.path,
		.pid = watch->options.pid,
		.wake_descriptor = watch->options.wake_descriptor,
	};
	struct ct_record *record;
	enum ct_status status = ct_record_open(&options, &record, reterr), closed;
	uint64_t begun_ns = clock_monotonic_ns();

	if (status)
		return status;
	status = harvest(watch, record, reterr);
	watch->live.watched_ns = (int64_t)(clock_monotonic_ns() - begun_ns);
	/* The kernel is not asked about a process that has ended, because another process may have its id by now. */
	if (status != CT_END)
		look(watch);
	else
		status = CT_OK;
	closed = ct_record_close(record, status ? NULL : reterr);
	return status ? status : closed;
}

/* ---------------------------------------------------------------- a recorder's file */

/*
 * The process may have removed the file, but its open descriptor can still be read. A forked child also has its
 * parent's file open; that file is not the child's.
 */
static bool read_past(struct watch *watch)
{
	const struct live *seen = watch->live.seen;
	struct ct_flight_recovered stats;
	struct procfs_path path;
	size_t i;

	for (i = 0; i < seen->descriptors.count; i++) {
		const struct live_descriptor *descriptor = &seen->descriptors.at[i];

		path = procfs_descriptor(seen->pid, descriptor->number);
		if (strcmp(live_kind_name(descriptor), "file") == 0 && ct_is_flight(path.text) &&
			recover_flight(path.text, seen->pid, NULL, watch->scratch.path, &stats,
				NULL) == CT_OK &&
			procfs_is_called(seen->pid, stats.pid))
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------- the whole */

static enum ct_status open_image(void *context, struct image **ret_image, struct ct_error *reterr)
{
	const struct watch *watch = context;

	return image_open_process((pid_t)watch->options.pid, ret_image, reterr);
}

/*
 * Waits as long as a recording would take, or until the caller asks for the end. Any signal ends a poll, such as
 * the one that draws a progress line.
 */
static void pause_between(void *context)
{
	const struct watch *watch = context;
	struct pollfd wake = {.fd = watch->options.wake_descriptor, .events = POLLIN};
	uint64_t until_ns = clock_monotonic_ns() + (uint64_t)watch->options.duration_ns, now_ns;

	while ((now_ns = clock_monotonic_ns()) < until_ns && !is_asked_to_end(watch))
		poll(&wake, wake.fd > 0, (int)((until_ns - now_ns) / 1000000 + 1));
}

/* The coroutines in the memory of a program without a probe, which is looked at twice, as are its descriptors. */
static enum ct_status open_frames(
	struct watch *watch, struct ct_source **ret_source, struct ct_error *reterr)
{
	struct frames_again again = {pause_between, open_image, NULL, watch};
	struct live *before = (struct live *)(uintptr_t)watch->live.seen;
	struct image *image;
	enum ct_status status = open_image(watch, &image, reterr);

	if (status == CT_OK)
		status = frames_source_open(image, &again, NULL, ret_source, reterr);
	look(watch);
	if (before && watch->live.seen != before) {
		live_compare(before, (struct live *)(uintptr_t)watch->live.seen);
		live_free(before);
	}
	watch->live.is_from_memory = status == CT_OK;
	return status;
}

/* A process without a probe; *trouble says so, and gets a further sentence if no coroutine is found. */
static bool opens_without_probe(struct watch *watch, const struct ct_open_options *opening,
	struct ct_trace **ret_trace, struct ct_error *trouble)
{
	struct ct_source *source;
	struct ct_error why;
	enum ct_status status = open_frames(watch, &source, &why);

	if (status == CT_OK)
		status = lib_trace_of_source(source, opening, ret_trace, &why);

	/* What cannot be read, and what may not be. */
	if (status == CT_ERR_FORMAT || status == CT_ERR_SYSTEM) {
		ct_context(&why, status, "the process has no probe");
		snprintf(trouble->text, sizeof(trouble->text), "%s", why.text);
	} else if (status == CT_ERR_NOT_FOUND) {
		ct_fail(trouble, CT_ERR_NO_PROBE,
			"process %" PRIu64
			" has no probe that waits ('corotracer help run' names the calls that "
			"attach one), and %s",
			watch->live.pid, why.text);
	}
	return status == CT_OK;
}

/*
 * A process of which only the descriptor ledger is recorded: its coroutines are looked for in memory, and what was
 * recorded until then is put before them.
 */
static bool opens_with_past(struct watch *watch, const char *path,
	const struct ct_open_options *opening, struct ct_trace **ret_trace)
{
	struct ct_source *past, *present, *joined;
	enum ct_status status;

	look(watch);
	status = open_frames(watch, &present, NULL);
	if (status)
		return false;
	status = lib_source_open(path, opening, &past, NULL);
	if (status)
		source_close(present);
	else
		status = joined_open(past, present, &joined, NULL);
	return status == CT_OK && lib_trace_of_source(joined, opening, ret_trace, NULL) == CT_OK;
}

/*
 * A process with a probe: what was recorded tells its coroutines, and its memory where the others wait, and what is in
 * what they await. Without memory that can be read, what was recorded is all.
 */
static enum ct_status open_with_memory(struct watch *watch, const char *path,
	const struct ct_open_options *opening, struct ct_trace **ret_trace, struct ct_error *reterr)
{
	struct frames_past past = {.trouble = ""};
	struct ct_source *joined;
	struct image *image;
	enum ct_status status;

	status = lib_source_open(path, opening, &past.source, reterr);
	if (status)
		return status;
	status = open_image(watch, &image, NULL);
	if (status)
		source_close(past.source);
	else
		status = frames_source_open(image, NULL, &past, &joined, NULL);
	if (status)
		return ct_trace_open(path, opening, ret_trace, reterr);
	watch->live.has_memory = true;
	return lib_trace_of_source(joined, opening, ret_trace, reterr);
}

/* Another engine records the process. */
static enum ct_status open_recorded(struct watch *watch, const char *path,
	const struct ct_open_options *opening, struct ct_trace **ret_trace, struct ct_error *reterr)
{
	enum ct_status status;

	watch->live.has_engine = true;
	look(watch);
	status = open_with_memory(watch, path, opening, ret_trace, reterr);
	if (status == CT_OK)
		(*ret_trace)->source->goes_on = true;
	return status;
}

static enum ct_status open_trace(
	struct watch *watch, struct ct_trace **ret_trace, struct ct_error *reterr)
{
	struct ct_open_options opening = {.size = sizeof(opening),
		.no_symbols = watch->options.no_symbols,
		.memory_bytes = watch->options.memory_bytes};
	struct ct_error trouble;
	enum ct_status status = record(watch, &trouble);
	struct procfs_path recording;
	bool has_probe;

	if (status == CT_ERR_BUSY &&
		recording_find((pid_t)watch->live.pid, &recording, &has_probe)) {
		if (has_probe)
			return open_recorded(watch, recording.text, &opening, ret_trace, reterr);
		if (opens_with_past(watch, recording.text, &opening, ret_trace))
			return CT_OK;
	}
	if (status == CT_ERR_NO_PROBE) {
		look(watch);
		if (watch->live.seen && read_past(watch))
			status = CT_OK;
		else if (opens_without_probe(watch, &opening, ret_trace, &trouble))
			return CT_OK;
	}
	if (status && reterr)
		*reterr = trouble;
	if (status)
		return status;
	return watch->live.seen
		       ? open_with_memory(watch, watch->scratch.path, &opening, ret_trace, reterr)
		       : ct_trace_open(watch->scratch.path, &opening, ret_trace, reterr);
}

enum ct_status ct_live_open(
	const struct ct_live_options *options, struct ct_trace **ret_trace, struct ct_error *reterr)
{
	struct watch watch = {.live = {0}};
	enum ct_status status;

	known_options(&watch.options, sizeof(watch.options), options);
	if (watch.options.pid <= 0 || watch.options.pid > INT32_MAX ||
		watch.options.duration_ns < 0)
		return ct_fail(reterr, CT_ERR_USAGE, "no process to look at, or no time for it");
	if (watch.options.duration_ns == 0)
		watch.options.duration_ns = WATCH_NS;
	watch.live.pid = (uint64_t)watch.options.pid;
	status = scratch_open(&watch.scratch, "/tmp", "now.ctrace", reterr);
	if (status)
		return status;
	status = open_trace(&watch, ret_trace, reterr);
	scratch_close(&watch.scratch);
	if (status)
		live_free((struct live *)(uintptr_t)watch.live.seen);
	else
		(*ret_trace)->live = watch.live;
	return status;
}
