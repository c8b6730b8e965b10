/* SPDX-License-Identifier: MIT */
/*
 * When a dump is written, and under which name. A condition that asks too often is counted, and does not fill the disk.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/failure.h"
#include "session/flight.h"
#include "session/flight_judge.h"
#include "store/window.h"
#include "base/text.h"
#include "base/vec.h"
#include "stages/watch.h"

#define MAX_DUMPS 16u
#define PAUSE_NS UINT64_C(10000000000)

struct flight {
	struct watch *watch;
	struct flight_judge *judge; /* NULL: no condition asks for findings */
	struct ct_sink *window;
	char *output;
	uint32_t max_dumps;
	uint64_t dumped_ns;    /* time of the last dump for a condition; 0: none */
	uint64_t signalled_ns; /* time of the last dump before a signal; 0: none */
	struct text reason;
	size_t nr_dumps;

	pthread_mutex_t lock;     /* protects the next two members */
	VEC(struct ct_dump) made; /* dumps not moved to `dumps` yet */
	uint64_t nr_suppressed;

	VEC(struct ct_dump) dumps; /* dumps as handed out by flight_dumps */
};

static enum ct_status add_conditions(
	struct flight *flight, const char *const *conditions, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	size_t i;

	for (i = 0; status == CT_OK && conditions && conditions[i]; i++)
		status = watch_add(flight->watch, conditions[i], reterr);
	return status;
}

static enum ct_status open_sinks(
	struct flight *flight, const struct ct_flight_options *options, struct ct_error *reterr)
{
	struct store_window_options window = {
		.ns = (uint64_t)options->window_ns,
		.bytes = options->window_bytes,
	};
	enum ct_status status = store_window_open(&window, &flight->window, reterr);

	if (status)
		return status;
	status = watch_open(flight->window, &flight->watch, reterr);
	if (status) {
		sink_close(flight->window, false, NULL);
		return status;
	}
	status = add_conditions(flight, options->conditions, reterr);
	if (status == CT_OK && watch_wants_findings(flight->watch)) {
		flight->judge = flight_judge_new(options->thresholds);
		status = flight->judge ? CT_OK : ct_fail_memory(reterr);
	}
	if (status)
		sink_close(flight_sink(flight), false, NULL);
	return status;
}

/*
 * Checks the folder now: otherwise a folder that cannot be written to would be noticed only when a dump is wanted, a
 * week later.
 */
static enum ct_status check_folder(const char *output, struct ct_error *reterr)
{
	const char *slash = strrchr(output, '/');
	char *folder = slash ? strndup(output, (size_t)(slash - output) + 1) : strdup(".");
	enum ct_status status = CT_OK;

	if (!folder)
		return ct_fail_memory(reterr);
	if (access(folder, W_OK | X_OK) < 0)
		status = ct_fail_errno(reterr, "cannot write into the folder '%s'", folder);
	free(folder);
	return status;
}

enum ct_status flight_open(const struct ct_flight_options *options, const char *output,
	struct flight **ret_flight, struct ct_error *reterr)
{
	struct flight *flight;
	enum ct_status status;

	if (options->window_ns < 0)
		return ct_fail(reterr, CT_ERR_USAGE, "no such flight recorder");
	status = check_folder(output, reterr);
	if (status)
		return status;
	flight = calloc(1, sizeof(*flight));
	if (flight)
		flight->output = strdup(output);
	if (!flight || !flight->output) {
		free(flight);
		return ct_fail_memory(reterr);
	}
	pthread_mutex_init(&flight->lock, NULL);
	flight->max_dumps = options->max_dumps ? options->max_dumps : MAX_DUMPS;
	status = open_sinks(flight, options, reterr);
	if (status) {
		flight_free(flight);
		return status;
	}
	*ret_flight = flight;
	return CT_OK;
}

struct ct_sink *flight_sink(struct flight *flight)
{
	return watch_sink(flight->watch);
}

static void free_dumps(struct ct_dump *dumps, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		free((char *)(uintptr_t)dumps[i].path);
		free((char *)(uintptr_t)dumps[i].reason);
		free((char *)(uintptr_t)dumps[i].trouble);
	}
}

void flight_free(struct flight *flight)
{
	if (!flight)
		return;
	flight_judge_free(flight->judge);
	free_dumps(flight->made.at, flight->made.count);
	free_dumps(flight->dumps.at, flight->dumps.count);
	vec_fini(&flight->made);
	vec_fini(&flight->dumps);
	pthread_mutex_destroy(&flight->lock);
	text_fini(&flight->reason);
	free(flight->output);
	free(flight);
}

/* run.ctrace gives run.1.ctrace; a name without an ending gives name.1. */
static char *path_of(const struct flight *flight, size_t number)
{
	const char *base = strrchr(flight->output, '/');
	const char *ending;
	char *path;

	base = base ? base + 1 : flight->output;
	ending = strrchr(base, '.');
	if (!ending || ending == base)
		ending = flight->output + strlen(flight->output);
	if (asprintf(&path, "%.*s.%zu%s", (int)(ending - flight->output), flight->output, number,
		    ending) < 0)
		return NULL;
	return path;
}

static enum ct_status write_dump(
	struct flight *flight, struct ct_dump *dump, uint64_t now_ns, struct ct_error *reterr)
{
	struct store_window_state state;
	struct ct_error failure = {0};
	enum ct_status status =
		store_window_dump(flight->window, dump->path, dump->reason, now_ns, &failure);

	store_window_look(flight->window, now_ns, &state);
	dump->held_ns = (int64_t)state.ns;
	dump->held_bytes = state.bytes;
	dump->is_short_of_bytes = state.is_short_of_bytes;
	if (status == CT_OK)
		return CT_OK;
	dump->trouble = strdup(failure.text);
	if (reterr)
		*reterr = failure;
	return status;
}

static bool make_room(struct flight *flight)
{
	bool has_room;

	pthread_mutex_lock(&flight->lock);
	has_room = vec_reserve(&flight->made, flight->made.count + 1);
	pthread_mutex_unlock(&flight->lock);
	return has_room;
}

static void keep_dump(struct flight *flight, const struct ct_dump *dump)
{
	pthread_mutex_lock(&flight->lock);
	flight->made.at[flight->made.count++] = *dump;
	pthread_mutex_unlock(&flight->lock);
	flight->nr_dumps++;
}

enum ct_status flight_dump(
	struct flight *flight, const char *reason, uint64_t now_ns, struct ct_error *reterr)
{
	struct ct_dump dump = {
		.path = path_of(flight, flight->nr_dumps + 1),
		.reason = strdup(reason),
	};
	enum ct_status status;

	if (!dump.path || !dump.reason || !make_room(flight)) {
		free_dumps(&dump, 1);
		return ct_fail_memory(reterr);
	}
	status = write_dump(flight, &dump, now_ns, reterr);
	keep_dump(flight, &dump);
	return status;
}

enum ct_status flight_copy(
	struct flight *flight, int descriptor, uint64_t now_ns, struct ct_error *reterr)
{
	return store_window_copy(flight->window, descriptor, now_ns, reterr);
}

static void suppress(struct flight *flight)
{
	pthread_mutex_lock(&flight->lock);
	flight->nr_suppressed++;
	pthread_mutex_unlock(&flight->lock);
}

static bool is_too_soon(uint64_t last_ns, uint64_t now_ns)
{
	return last_ns && now_ns - last_ns < PAUSE_NS;
}

void flight_dump_for_signal(struct flight *flight, const char *reason, uint64_t now_ns)
{
	if (is_too_soon(flight->signalled_ns, now_ns)) {
		suppress(flight);
		return;
	}
	flight->signalled_ns = now_ns;
	flight_dump(flight, reason, now_ns, NULL);
}

void flight_look(struct flight *flight, uint64_t now_ns)
{
	enum ct_grade grades[CT_NR_RULES];

	if (flight->judge && flight_judge_look(flight->judge, flight->window, now_ns, grades))
		watch_take_findings(flight->watch, grades);
	if (!watch_look(flight->watch, now_ns, &flight->reason))
		return;
	if (flight->nr_dumps >= flight->max_dumps || is_too_soon(flight->dumped_ns, now_ns)) {
		suppress(flight);
		return;
	}
	flight->dumped_ns = now_ns;
	flight_dump(flight, text_peek(&flight->reason), now_ns, NULL);
}

const struct ct_dump *flight_dumps(
	struct flight *flight, uint32_t *ret_count, uint64_t *ret_suppressed)
{
	size_t i;

	pthread_mutex_lock(&flight->lock);
	/* If there is no memory for more dumps, they are handed out the next time. */
	if (vec_reserve(&flight->dumps, flight->dumps.count + flight->made.count)) {
		for (i = 0; i < flight->made.count; i++)
			flight->dumps.at[flight->dumps.count++] = flight->made.at[i];
		flight->made.count = 0;
	}
	if (ret_suppressed)
		*ret_suppressed = flight->nr_suppressed;
	pthread_mutex_unlock(&flight->lock);
	*ret_count = (uint32_t)flight->dumps.count;
	return flight->dumps.at;
}
