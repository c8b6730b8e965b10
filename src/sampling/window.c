/* SPDX-License-Identifier: MIT */
/*
 * One window: of a process by its probe, or by the file in which the process keeps its past; of a program in Go by its
 * address.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failure.h"
#include "collect/probe_files.h"
#include "kernel/procfs.h"
#include "sampling/window.h"
#include "session/recover.h"

#define STEP_MS 100
#define UNFINISHED ".partial"

struct window {
	struct program *program;
	char key[KEYS_BYTES];
	char *path;       /* in the spool */
	char *unfinished; /* while it is written */
	uint64_t nr_used; /* bytes that were counted */
	uint64_t nr_events;
	uint64_t nr_lost;
	enum sampling_reason ended_by;
};

/* ---------------------------------------------------------------- ceilings */

static uint64_t size_of(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static void use(struct window *window, uint64_t nr_bytes)
{
	uint64_t more = nr_bytes > window->nr_used ? nr_bytes - window->nr_used : 0;

	window->nr_used += more;
	window->ended_by = sampling_use(window->program->sampling, more);
}

static bool is_asked_to_end(const struct program *program)
{
	struct pollfd end = {.fd = program->end, .events = POLLIN};

	return poll(&end, 1, 0) > 0;
}

/* ---------------------------------------------------------------- by the probe */

static enum ct_status harvest(
	struct window *window, struct ct_record *record, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	struct ct_record_stats stats;

	while (status == CT_OK && !is_asked_to_end(window->program)) {
		status = ct_record_step(record, STEP_MS, reterr);
		use(window, size_of(window->unfinished));
		if (window->ended_by != SAMPLING_MAY)
			break;
	}
	ct_record_stats(record, &stats);
	window->nr_events = stats.nr_events;
	window->nr_lost = stats.nr_lost;
	return status < 0 ? status : CT_OK;
}

static enum ct_status record(struct window *window, struct ct_error *reterr)
{
	const struct ct_sampled *sampled = &window->program->sampled;
	struct ct_wanted wanted = {.size = sizeof(wanted), .duration_ns = sampled->for_ns};
	struct ct_record_options options = {
		.size = sizeof(options),
		.output = window->path,
		.pid = sampled->pid,
		.wanted = &wanted,
		.pack_level = sampled->pack_level,
		.wake_descriptor = window->program->end,
		.takes_orders = true,
	};
	struct ct_record *recording;
	enum ct_status status = ct_record_open(&options, &recording, reterr), closed;

	if (status)
		return status;
	status = harvest(window, recording, reterr);
	closed = ct_record_close(recording, status ? NULL : reterr);
	return status ? status : closed;
}

/* ---------------------------------------------------------------- by the file of a past */

struct past {
	struct window *window;
	enum ct_status status;
};

/* A forked child has its parent's file open, too: the file's own process has to be this one. */
static bool look_for_past(void *context, int number)
{
	struct past *past = context;
	struct window *window = past->window;
	pid_t pid = (pid_t)window->program->sampled.pid;
	struct procfs_path path = procfs_descriptor(pid, number);
	struct ct_part_options how = {
		.size = sizeof(how), .pack_level = window->program->sampled.pack_level};
	struct ct_flight_recovered stats;

	if (!collect_is_flight_file(pid, path.text) ||
		recover_flight(path.text, pid, &how, window->path, &stats, NULL) != CT_OK)
		return true;
	if (!procfs_is_called(pid, stats.pid)) {
		unlink(window->path);
		return true;
	}
	window->nr_events = stats.nr_events;
	window->nr_lost = stats.nr_lost - stats.nr_overwritten;
	past->status = CT_OK;
	return false;
}

static enum ct_status record_process(struct window *window, struct ct_error *reterr)
{
	struct past past = {.window = window, .status = CT_ERR_NO_PROBE};
	enum ct_status status = record(window, reterr);

	if (status == CT_ERR_NO_PROBE)
		procfs_numbers((pid_t)window->program->sampled.pid, "fd", look_for_past, &past);
	return past.status == CT_OK ? CT_OK : status;
}

/* ---------------------------------------------------------------- by an address */

static void use_bytes(void *context, uint64_t nr_bytes)
{
	use(context, nr_bytes);
}

static enum ct_status fetch(struct window *window, struct ct_error *reterr)
{
	struct ct_sampling *sampling = window->program->sampling;
	struct ct_fetch_options options = {
		.size = sizeof(options),
		.address = window->program->address,
		.output = window->path,
		.duration_ns = window->program->sampled.for_ns,
		.wake_descriptor = window->program->end,
		.tell = use_bytes,
		.tell_context = window,
	};
	struct ct_fetched fetched;

	pthread_mutex_lock(&sampling->lock);
	options.limit_bytes = ceiling_left(&sampling->bytes, clock_monotonic_ns());
	pthread_mutex_unlock(&sampling->lock);
	return ct_fetch(&options, &fetched, reterr);
}

/* ---------------------------------------------------------------- the whole */

static const char *why_early(enum sampling_reason reason)
{
	return reason == SAMPLING_BYTES ? "it ended early: the hour's bytes are used up"
	       : reason == SAMPLING_PROCESSOR
		       ? "it ended early: the hour's processor time is used up"
		       : NULL;
}

static enum ct_status keep(struct window *window, struct ct_error *reterr)
{
	struct program *program = window->program;
	struct ct_sampling *sampling = program->sampling;
	struct ct_sampling_counts *counts = &sampling->counts;
	enum ct_status status;
	uint64_t nr_bytes;

	use(window, size_of(window->path));
	status = spool_keep(sampling->spool, window->key, &nr_bytes, reterr);
	if (status < 0)
		return status;
	sampling_count(sampling, &counts->nr_windows, 1);
	sampling_count(sampling, &counts->nr_events, window->nr_events);
	sampling_count(sampling, &counts->nr_events_lost, window->nr_lost);
	sampling_count(sampling, &counts->nr_bytes, nr_bytes);
	sampling_tell(sampling, (struct ct_sampling_event){.kind = CT_SAMPLING_WINDOW,
					.service = program->service,
					.pid = program->sampled.pid,
					.key = window->key,
					.text = why_early(window->ended_by),
					.nr_bytes = nr_bytes,
					.nr_events = window->nr_events,
					.nr_lost = window->nr_lost});
	upload_wake(sampling->upload);
	return CT_OK;
}

static enum ct_status take(struct window *window, struct ct_error *reterr)
{
	enum ct_status status =
		window->program->address ? fetch(window, reterr) : record_process(window, reterr);

	if (status == CT_OK)
		status = keep(window, reterr);
	if (status) {
		unlink(window->path);
		unlink(window->unfinished);
	}
	return status;
}

enum ct_status window_take(struct program *program, struct ct_error *reterr)
{
	struct window window = {.program = program};
	enum ct_status status = CT_ERR_NO_MEMORY;

	keys_make(program->service, program->sampling->host, program->sampled.pid,
		clock_realtime_ns(), window.key);
	window.path = spool_path(program->sampling->spool, window.key);
	if (window.path && asprintf(&window.unfinished, "%s" UNFINISHED, window.path) >= 0)
		status = take(&window, reterr);
	free(window.path);
	free(window.unfinished);
	return status;
}
