/* SPDX-License-Identifier: MIT */
/*
 * One thread makes snapshots and follows chains. Its newest results wait under the lock; a byte in the pipe tells the
 * other thread, which has the terminal, that there is a result.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "top/recording.h"
#include "top/source.h"
#include "top/threads.h"

#define PAUSE_NS UINT64_C(500000000)
#define SHARE 4u                 /* the thread works at most one part in this many of the time */
#define GROWING_BYTES (32 << 20) /* of a growing file: only the last bytes are read */
#define NICE 10                  /* the traced program has priority */
#define SECOND_NS UINT64_C(1000000000)

struct question {
	const struct top_snapshot *snapshot;
	uint32_t process;
	uint64_t id;
};

struct top_source {
	struct top_source_options options;
	struct top_recording *recording; /* NULL: the source is a file */
	struct ct_trace *file;           /* until its snapshot is made */
	bool is_growing;                 /* the file grows, and is opened for each snapshot */
	off_t nr_seen_bytes;             /* size of the file when it was opened last */
	int told;
	pthread_t thread;
	bool is_started;
	pthread_mutex_t lock; /* protects all members below */
	pthread_cond_t asked;
	bool is_stopping;
	bool is_over; /* no further snapshot will come */
	struct top_snapshot *newest;
	struct ct_error trouble; /* status CT_OK: none */
	struct question question;
	bool has_question; /* until its answer was taken */
	bool has_answer;
	enum ct_status status; /* of the answer */
	struct ct_error error;
	const struct ct_report *answer;
};

static void tell(struct top_source *source)
{
	(void)!write(source->told, &(uint64_t){1}, sizeof(uint64_t));
}

/* ---------------------------------------------------------------- snapshots */

void top_snapshot_free(struct top_snapshot *snapshot)
{
	if (!snapshot)
		return;
	ct_view_close(snapshot->view);
	ct_trace_close(snapshot->trace);
	free(snapshot);
}

/*
 * CT_AGAIN: there is nothing new in the file, or no complete part. Ask for writers first, so that the last snapshot
 * contains everything. A recording removes its temporary name when it ends.
 */
static enum ct_status open_growing(
	struct top_source *source, struct top_snapshot *snapshot, struct ct_error *reterr)
{
	const char *path = source->options.path;
	struct ct_open_options options = {.size = sizeof(options),
		.no_symbols = true,
		.memory_bytes = source->options.memory_bytes};
	enum ct_status status;
	struct stat now;

	snapshot->is_growing = source->is_growing = ct_is_written(path);
	if (stat(path, &now))
		return CT_END;
	if (snapshot->is_growing && now.st_size == source->nr_seen_bytes)
		return CT_AGAIN;
	source->nr_seen_bytes = now.st_size;
	if (snapshot->is_growing && now.st_size > GROWING_BYTES)
		options.last_bytes = GROWING_BYTES;
	status = ct_trace_open(path, &options, &snapshot->trace, reterr);
	return status == CT_ERR_CORRUPT && snapshot->is_growing ? CT_AGAIN : status;
}

static enum ct_status open_trace(
	struct top_source *source, struct top_snapshot *snapshot, struct ct_error *reterr)
{
	/* The names in a growing trace come from its recording. */
	struct ct_open_options options = {.size = sizeof(options),
		.no_symbols = true,
		.memory_bytes = source->options.memory_bytes};

	if (source->recording)
		return top_recording_open_trace(source->recording, &options, &snapshot->trace,
			&snapshot->is_growing, reterr);
	if (!source->file)
		return source->is_growing ? open_growing(source, snapshot, reterr) : CT_END;
	snapshot->trace = source->file;
	snapshot->is_growing = source->is_growing;
	source->file = NULL;
	return CT_OK;
}

/* Asks one row of a table, which fills the share of the view that the table is in. */
static enum ct_status fill_with(
	struct ct_view *view, enum ct_view_table table, struct ct_error *reterr)
{
	struct ct_view_request one = {.size = sizeof(one), .table = table, .limit = 1};
	const struct ct_view_rows *rows;
	enum ct_status status = ct_view_select(view, &one, &rows, reterr);

	if (status == CT_OK)
		ct_view_rows_free(rows);
	return status;
}

/*
 * Fills all shares of the view, so that the screens' questions read nothing, and do not wait while another thread reads
 * the trace to follow a chain.
 */
static enum ct_status fill(
	struct top_source *source, struct top_snapshot *snapshot, struct ct_error *reterr)
{
	struct ct_view_options options = {
		.size = sizeof(options), .thresholds = source->options.thresholds};
	enum ct_status status = ct_view_open(snapshot->trace, &options, &snapshot->view, reterr);

	if (status == CT_OK)
		status = ct_view_report(snapshot->view, &snapshot->report, reterr);
	if (status == CT_OK)
		status = fill_with(snapshot->view, CT_VIEW_COROUTINES, reterr);
	if (status == CT_OK)
		status = fill_with(snapshot->view, CT_VIEW_EVENTS, reterr);
	return status;
}

static void publish(struct top_source *source, struct top_snapshot *snapshot)
{
	struct top_snapshot *former;

	pthread_mutex_lock(&source->lock);
	former = source->newest;
	source->newest = snapshot;
	source->trouble.status = CT_OK;
	source->is_over = !snapshot->is_growing;
	pthread_mutex_unlock(&source->lock);
	top_snapshot_free(former);
	tell(source);
}

static void note(struct top_source *source, enum ct_status status, const struct ct_error *error)
{
	pthread_mutex_lock(&source->lock);
	source->is_over = status == CT_END || !(source->recording || source->is_growing);
	if (status < 0)
		source->trouble = *error;
	pthread_mutex_unlock(&source->lock);
	tell(source);
}

/* Returns how long it took. */
static uint64_t make_snapshot(struct top_source *source)
{
	struct top_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	struct ct_error error;
	enum ct_status status;

	if (!snapshot) {
		top_fail(&error, ENOMEM, "making a snapshot");
		note(source, CT_ERR_NO_MEMORY, &error);
		return 0;
	}
	snapshot->taken_ns = top_now_ns();
	status = open_trace(source, snapshot, &error);
	if (status == CT_OK)
		status = fill(source, snapshot, &error);
	snapshot->took_ns = top_now_ns() - snapshot->taken_ns;
	if (status == CT_OK) {
		uint64_t took_ns = snapshot->took_ns;

		publish(source, snapshot);
		return took_ns;
	}
	top_snapshot_free(snapshot);
	if (status != CT_AGAIN)
		note(source, status, &error);
	return 0;
}

/* ---------------------------------------------------------------- chains */

static void answer(struct top_source *source)
{
	const struct question *question = &source->question;
	const struct ct_report *report = NULL;
	struct ct_error error = {0};
	enum ct_status status = ct_view_why(
		question->snapshot->view, question->process, question->id, &report, &error);

	pthread_mutex_lock(&source->lock);
	source->has_answer = true;
	source->status = status;
	source->answer = report;
	source->error = error;
	pthread_mutex_unlock(&source->lock);
	tell(source);
}

/* ---------------------------------------------------------------- the thread */

static struct timespec at_ns(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS)};
}

enum work {
	WORK_STOP,
	WORK_SNAPSHOT,
	WORK_ANSWER,
};

/* Waits for the next work; a snapshot is not due before this time. */
static enum work wait_for_work(struct top_source *source, uint64_t due_ns)
{
	struct timespec due = at_ns(due_ns);
	enum work work = WORK_SNAPSHOT;
	int waited = 0;

	pthread_mutex_lock(&source->lock);
	while (!source->is_stopping && !(source->has_question && !source->has_answer) &&
		(source->is_over || waited != ETIMEDOUT))
		waited = source->is_over
				 ? pthread_cond_wait(&source->asked, &source->lock)
				 : pthread_cond_timedwait(&source->asked, &source->lock, &due);
	if (source->is_stopping)
		work = WORK_STOP;
	else if (source->has_question && !source->has_answer)
		work = WORK_ANSWER;
	pthread_mutex_unlock(&source->lock);
	return work;
}

static void *make(void *argument)
{
	struct top_source *source = argument;
	uint64_t due_ns = 0, took_ns;
	enum work work;

	setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	while ((work = wait_for_work(source, due_ns)) != WORK_STOP) {
		if (work == WORK_ANSWER) {
			answer(source);
			continue;
		}
		took_ns = make_snapshot(source) * (SHARE - 1);
		due_ns = top_now_ns() + (took_ns > PAUSE_NS ? took_ns : PAUSE_NS);
	}
	return NULL;
}

/* ---------------------------------------------------------------- opened */

static enum ct_status start(struct top_source *source, struct ct_error *reterr)
{
	struct ct_open_options options = {.size = sizeof(options),
		.no_symbols = source->options.no_symbols,
		.memory_bytes = source->options.memory_bytes};
	enum ct_status status;

	source->is_growing = source->options.path && ct_is_written(source->options.path);
	source->told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (source->told < 0)
		return top_fail(reterr, errno, "making an event descriptor");
	status = source->options.path
			 ? ct_trace_open(source->options.path, &options, &source->file, reterr)
			 : top_recording_open(source->options.pid, &source->recording, reterr);
	/* No part of the trace is complete yet. */
	if (status == CT_ERR_CORRUPT && source->is_growing)
		status = CT_OK;
	if (status)
		return status;
	status = top_thread_start(&source->thread, make, source, reterr);
	source->is_started = status == CT_OK;
	return status;
}

static void init_lock(struct top_source *source)
{
	pthread_condattr_t monotonic;

	pthread_mutex_init(&source->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&source->asked, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

enum ct_status top_source_open(const struct top_source_options *options,
	struct top_source **ret_source, struct ct_error *reterr)
{
	struct top_source *source = calloc(1, sizeof(*source));
	enum ct_status status;

	if (!source)
		return top_fail(reterr, ENOMEM, "opening the trace");
	source->options = *options;
	source->told = -1;
	init_lock(source);
	status = start(source, reterr);
	if (status)
		top_source_close(source);
	else
		*ret_source = source;
	return status;
}

static void stop(struct top_source *source)
{
	pthread_mutex_lock(&source->lock);
	source->is_stopping = true;
	pthread_cond_signal(&source->asked);
	pthread_mutex_unlock(&source->lock);
	pthread_join(source->thread, NULL);
}

void top_source_close(struct top_source *source)
{
	if (!source)
		return;
	if (source->is_started)
		stop(source);
	ct_report_free(source->answer);
	top_snapshot_free(source->newest);
	ct_trace_close(source->file);
	top_recording_close(source->recording);
	if (source->told >= 0)
		close(source->told);
	pthread_cond_destroy(&source->asked);
	pthread_mutex_destroy(&source->lock);
	free(source);
}

/* ---------------------------------------------------------------- asked */

int top_source_descriptor(const struct top_source *source)
{
	return source->told;
}

struct top_snapshot *top_source_take(struct top_source *source)
{
	struct top_snapshot *newest;
	uint64_t nr_told;

	(void)!read(source->told, &nr_told, sizeof(nr_told));
	pthread_mutex_lock(&source->lock);
	newest = source->newest;
	source->newest = NULL;
	pthread_mutex_unlock(&source->lock);
	return newest;
}

bool top_source_trouble(struct top_source *source, struct ct_error *ret_error)
{
	bool has_trouble;

	pthread_mutex_lock(&source->lock);
	has_trouble = source->trouble.status != CT_OK;
	if (has_trouble)
		*ret_error = source->trouble;
	pthread_mutex_unlock(&source->lock);
	return has_trouble;
}

void top_source_ask_why(struct top_source *source, const struct top_snapshot *snapshot,
	uint32_t process, uint64_t id)
{
	pthread_mutex_lock(&source->lock);
	source->question = (struct question){snapshot, process, id};
	source->has_question = true;
	source->has_answer = false;
	pthread_cond_signal(&source->asked);
	pthread_mutex_unlock(&source->lock);
}

bool top_source_is_asked(struct top_source *source)
{
	bool is_asked;

	pthread_mutex_lock(&source->lock);
	is_asked = source->has_question;
	pthread_mutex_unlock(&source->lock);
	return is_asked;
}

enum ct_status top_source_take_why(
	struct top_source *source, const struct ct_report **ret_report, struct ct_error *reterr)
{
	enum ct_status status = CT_AGAIN;

	pthread_mutex_lock(&source->lock);
	if (source->has_answer) {
		status = source->status;
		*ret_report = source->answer;
		*reterr = source->error;
		source->answer = NULL;
		source->has_question = source->has_answer = false;
	}
	pthread_mutex_unlock(&source->lock);
	return status;
}
