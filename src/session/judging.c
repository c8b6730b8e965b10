/* SPDX-License-Identifier: MIT */
/*
 * A judgement counts its users: its readers and, while it is the newest, the judging object itself. The last user that
 * returns the judgement frees it. One lock protects these counts; nothing is read or judged under the lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failure.h"
#include "base/thread.h"
#include "session/judging.h"
#include "session/so_far.h"
#include "store/store.h"

#define PAUSE_NS UINT64_C(400000000)
#define SHARE 4u /* judging takes one part in so many of the time */
#define NICE 10  /* lower priority than the traced program; normal for a finished file */
#define SECOND_NS UINT64_C(1000000000)
#define FIRST_LOOK_STEP \
	(UINT64_C(4) << 20) /* a longer end is tried until a generation begins there */
#define FIRST_LOOK_SHARE \
	4u /* the end that is judged first is at most one part in so many of the file */
#define FIRST_LOOK_FROM \
	(UINT64_C(128) << 20) /* for a smaller file the look would cost a fifth of the whole */
#define FIRST_LOOK_EVENTS \
	UINT64_C(250000) /* fewer say too little of what is usual in the program */

struct lent {
	struct judged judged; /* must be first: readers have its address */
	uint32_t nr_readers;  /* readers, and one more while it is the newest */
};

struct judging {
	struct judging_options options;
	pthread_mutex_t opening; /* held while the next two members are used */
	int (*open)(void *context);
	char *path;
	pthread_t thread;
	pthread_mutex_t lock; /* protects everything below */
	pthread_cond_t stopped;
	bool is_stopping;
	struct lent *newest;
	uint64_t nr_judged;
	void (*told)(void *context); /* after each judgement; NULL: nobody is told */
	void *told_context;
	struct ct_error trouble; /* status CT_OK: no trouble */

	/* The file that was judged last; used only by the thread. */
	struct stat seen;
	bool was_growing;
};

static void free_lent(struct lent *lent)
{
	ct_view_close(lent->judged.view);
	ct_trace_close(lent->judged.trace);
	free(lent);
}

/* ---------------------------------------------------------------- one judgement */

/* Opens the path. A file that does not exist yet is taken for the output of a recording that goes on. */
static int open_path(struct judging *judging, bool *ret_is_growing)
{
	int file = open(judging->path, O_RDONLY | O_CLOEXEC);

	if (file >= 0 || errno != ENOENT) {
		*ret_is_growing = file >= 0 && ct_is_written(judging->path);
		return file;
	}
	file = so_far_open_output(judging->path);
	*ret_is_growing = file >= 0;
	if (file < 0)
		errno = ENOENT;
	return file;
}

static int open_either(struct judging *judging, bool *ret_is_growing)
{
	if (judging->open) {
		*ret_is_growing = true;
		return judging->open(judging->options.context);
	}
	errno = ENOENT;
	return judging->path ? open_path(judging, ret_is_growing) : -1;
}

/* Opens the trace as it is now. Returns -1, with *ret_trouble if there is something to report. */
static int open_present(struct judging *judging, bool *ret_is_growing, struct ct_error *ret_trouble)
{
	int file;

	pthread_mutex_lock(&judging->opening);
	file = open_either(judging, ret_is_growing);
	if (file < 0 && judging->path)
		ct_fail_errno(ret_trouble, "reading '%s'", judging->path);
	pthread_mutex_unlock(&judging->opening);
	return file;
}

static bool is_as_before(struct judging *judging, int file, bool is_growing)
{
	bool was_growing = judging->was_growing;
	struct stat now;

	if (fstat(file, &now))
		return false;
	judging->was_growing = is_growing;
	if (is_growing == was_growing && now.st_ino == judging->seen.st_ino &&
		now.st_dev == judging->seen.st_dev && now.st_size == judging->seen.st_size &&
		now.st_mtim.tv_sec == judging->seen.st_mtim.tv_sec &&
		now.st_mtim.tv_nsec == judging->seen.st_mtim.tv_nsec)
		return true;
	judging->seen = now;
	return false;
}

static bool is_large_part(const struct ct_trace *trace)
{
	const struct ct_tables *tables = ct_trace_tables(trace);

	return tables->nr_before && tables->nr_events >= FIRST_LOOK_EVENTS;
}

/* Judges the last bytes; 0: all. The recording names sites: debug information is read only for the whole. */
static enum ct_status judge_last(struct judging *judging, int file, uint64_t last_bytes,
	struct judged *judged, struct ct_error *reterr)
{
	struct ct_open_options opening = {.size = sizeof(opening),
		.no_symbols = judged->is_growing || judged->is_first_look,
		.last_bytes = last_bytes,
		.memory_bytes = judging->options.memory_bytes,
		.goes_on = judged->is_growing};
	struct ct_view_options viewing = {
		.size = sizeof(viewing), .thresholds = judging->options.thresholds};
	enum ct_status status;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	status = ct_trace_open(path, &opening, &judged->trace, reterr);
	if (status == CT_OK && judged->is_first_look && !is_large_part(judged->trace))
		status = ct_fail(reterr, CT_ERR_UNSUPPORTED, "the part is too small, or the whole");
	if (status)
		return status;
	status = ct_view_open(judged->trace, &viewing, &judged->view, reterr);
	if (status == CT_OK)
		status = ct_view_report(judged->view, &judged->report, reterr);
	return status;
}

static enum ct_status judge_file(
	struct judging *judging, int file, struct judged *judged, struct ct_error *reterr)
{
	bool is_last = judged->is_growing && judging->seen.st_size > (off_t)JUDGING_BYTES;

	return judge_last(judging, file, is_last ? JUDGING_BYTES : 0, judged, reterr);
}

/* Returns whether no block is written yet, at most the header. */
static bool is_bare(const struct judged *judged)
{
	const struct ct_tables *tables = ct_trace_tables(judged->trace);

	/* one entry is reserved */
	return tables->first_generation == 0 && tables->nr_processes <= 1;
}

static void publish(struct judging *judging, struct lent *lent)
{
	void (*told)(void *context);
	struct lent *former;

	pthread_mutex_lock(&judging->lock);
	lent->judged.generation = ++judging->nr_judged;
	told = judging->told;
	lent->nr_readers = 1;
	former = judging->newest;
	judging->newest = lent;
	judging->trouble.status = CT_OK;
	pthread_mutex_unlock(&judging->lock);
	if (former)
		judging_return(judging, &former->judged);
	if (told)
		told(judging->told_context);
}

/*
 * Reads all events now, because otherwise the first user that asks for a lane would wait for the reading. Nothing is
 * read ahead for a growing trace: another view replaces this one soon, perhaps before a user asks for a lane.
 */
static void read_ahead(struct judging *judging)
{
	static const struct ct_view_request request = {
		.size = sizeof(request), .table = CT_VIEW_COROUTINES, .limit = 1};
	const struct judged *judged = judging_borrow(judging);
	const struct ct_view_rows *rows;

	if (!judged->is_growing && ct_view_select(judged->view, &request, &rows, NULL) == CT_OK)
		ct_view_rows_free(rows);
	judging_return(judging, judged);
}

static void note_trouble(struct judging *judging, const struct ct_error *error)
{
	pthread_mutex_lock(&judging->lock);
	judging->trouble = *error;
	pthread_mutex_unlock(&judging->lock);
}

/* ---------------------------------------------------------------- the first look */

/* Is something judged already, or nobody left to see it? */
static bool is_late(struct judging *judging)
{
	bool is;

	pthread_mutex_lock(&judging->lock);
	is = judging->newest || judging->is_stopping;
	pthread_mutex_unlock(&judging->lock);
	return is;
}

/* Only our own format can be opened from its end. */
static bool has_parts(int file)
{
	unsigned char first[sizeof(uint32_t)];

	return pread(file, first, sizeof(first), 0) == (ssize_t)sizeof(first) &&
	       store_is_ours(first, sizeof(first));
}

static enum ct_status judge_end(struct judging *judging, int file, struct lent *lent)
{
	uint64_t most = (uint64_t)judging->seen.st_size / FIRST_LOOK_SHARE, bytes;
	enum ct_status status = CT_ERR_UNSUPPORTED;

	for (bytes = FIRST_LOOK_STEP;
		status == CT_ERR_UNSUPPORTED && bytes <= most && !is_late(judging);
		bytes += FIRST_LOOK_STEP) {
		ct_trace_close(lent->judged.trace);
		lent->judged.trace = NULL;
		status = judge_last(judging, file, bytes, &lent->judged, NULL);
	}
	return status;
}

/*
 * The whole of a large trace takes seconds. What its end alone shows to be wrong is published meanwhile. That nothing
 * is wrong, only the whole can show.
 */
static void look_at_end(struct judging *judging, int file)
{
	struct lent *lent;

	if (judging->seen.st_size < (off_t)FIRST_LOOK_FROM || !has_parts(file) || is_late(judging))
		return;
	lent = calloc(1, sizeof(*lent));
	if (!lent)
		return;
	lent->judged.is_first_look = true;
	lent->judged.begun_ns = clock_monotonic_ns();
	if (judge_end(judging, file, lent) || !lent->judged.report->nr_findings) {
		free_lent(lent);
		return;
	}
	lent->judged.took_ns = clock_monotonic_ns() - lent->judged.begun_ns;
	publish(judging, lent);
}

/* ---------------------------------------------------------------- the whole */

static enum ct_status judge_present(struct judging *judging, int file, bool is_growing)
{
	struct lent *lent = calloc(1, sizeof(*lent));
	struct ct_error error;
	enum ct_status status;

	if (!lent) {
		status = ct_fail_memory(&error);
	} else {
		lent->judged.is_growing = is_growing;
		lent->judged.begun_ns = clock_monotonic_ns();
		status = judge_file(judging, file, &lent->judged, &error);
		lent->judged.took_ns = clock_monotonic_ns() - lent->judged.begun_ns;
	}
	if (status == CT_OK && !(is_growing && is_bare(&lent->judged))) {
		publish(judging, lent);
		read_ahead(judging);
		return CT_OK;
	}
	if (lent)
		free_lent(lent);
	/* A recording that has just begun may not even be recognised as one. */
	if (status && !is_growing)
		note_trouble(judging, &error);
	return status;
}

/* Judges once, and returns how long that took. */
static uint64_t look(struct judging *judging)
{
	uint64_t begun_ns = clock_monotonic_ns();
	struct ct_error error = {.status = CT_OK};
	bool is_growing;
	int file = open_present(judging, &is_growing, &error);

	if (file < 0) {
		if (error.status)
			note_trouble(judging, &error);
		return 0;
	}
	if (is_growing)
		setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	if (!is_as_before(judging, file, is_growing)) {
		if (!is_growing)
			look_at_end(judging, file);
		judge_present(judging, file, is_growing);
	}
	close(file);
	return clock_monotonic_ns() - begun_ns;
}

/* ---------------------------------------------------------------- the thread */

/* Waits. Returns false if the thread is to stop. */
static bool pause_for(struct judging *judging, uint64_t ns)
{
	struct timespec until;
	bool is_stopping;

	clock_gettime(CLOCK_MONOTONIC, &until);
	ns += (uint64_t)until.tv_nsec;
	until.tv_sec += (time_t)(ns / SECOND_NS);
	until.tv_nsec = (long)(ns % SECOND_NS);
	pthread_mutex_lock(&judging->lock);
	while (!judging->is_stopping &&
		pthread_cond_timedwait(&judging->stopped, &judging->lock, &until) == 0)
		;
	is_stopping = judging->is_stopping;
	pthread_mutex_unlock(&judging->lock);
	return !is_stopping;
}

static void *work(void *argument)
{
	struct judging *judging = argument;
	uint64_t pause_ns;

	do {
		pause_ns = look(judging) * (SHARE - 1);
	} while (pause_for(judging, pause_ns > PAUSE_NS ? pause_ns : PAUSE_NS));
	return NULL;
}

/* ---------------------------------------------------------------- functions for other threads */

static void init_lock(struct judging *judging)
{
	pthread_condattr_t monotonic;

	pthread_mutex_init(&judging->lock, NULL);
	pthread_mutex_init(&judging->opening, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&judging->stopped, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

static void free_judging(struct judging *judging)
{
	pthread_cond_destroy(&judging->stopped);
	pthread_mutex_destroy(&judging->lock);
	pthread_mutex_destroy(&judging->opening);
	free(judging->path);
	free(judging);
}

enum ct_status judging_open(const struct judging_options *options, struct judging **ret_judging,
	struct ct_error *reterr)
{
	struct judging *judging = calloc(1, sizeof(*judging));
	int trouble;

	if (!judging)
		return ct_fail_memory(reterr);
	judging->options = *options;
	judging->open = options->open;
	init_lock(judging);
	if (options->path && !(judging->path = strdup(options->path))) {
		free_judging(judging);
		return ct_fail_memory(reterr);
	}
	trouble = thread_start(&judging->thread, work, judging);
	if (trouble) {
		free_judging(judging);
		return ct_fail(reterr, CT_ERR_SYSTEM, "starting a thread: %s", strerror(trouble));
	}
	*ret_judging = judging;
	return CT_OK;
}

void judging_close(struct judging *judging)
{
	if (!judging)
		return;
	pthread_mutex_lock(&judging->lock);
	judging->is_stopping = true;
	pthread_cond_signal(&judging->stopped);
	pthread_mutex_unlock(&judging->lock);
	pthread_join(judging->thread, NULL);
	if (judging->newest)
		judging_return(judging, &judging->newest->judged);
	free_judging(judging);
}

void judging_tell(struct judging *judging, void (*judged)(void *context), void *context)
{
	pthread_mutex_lock(&judging->lock);
	judging->told_context = context;
	judging->told = judged;
	pthread_mutex_unlock(&judging->lock);
}

void judging_let_go(struct judging *judging)
{
	pthread_mutex_lock(&judging->opening);
	judging->open = NULL;
	pthread_mutex_unlock(&judging->opening);
}

enum ct_status judging_turn_to(struct judging *judging, const char *path, struct ct_error *reterr)
{
	char *copy = strdup(path);

	if (!copy)
		return ct_fail_memory(reterr);
	pthread_mutex_lock(&judging->opening);
	free(judging->path);
	judging->path = copy;
	pthread_mutex_unlock(&judging->opening);
	return CT_OK;
}

const struct judged *judging_borrow(struct judging *judging)
{
	struct lent *lent;

	pthread_mutex_lock(&judging->lock);
	lent = judging->newest;
	if (lent)
		lent->nr_readers++;
	pthread_mutex_unlock(&judging->lock);
	return lent ? &lent->judged : NULL;
}

void judging_return(struct judging *judging, const struct judged *judged)
{
	struct lent *lent = (struct lent *)(uintptr_t)judged;
	bool was_last;

	pthread_mutex_lock(&judging->lock);
	was_last = --lent->nr_readers == 0;
	pthread_mutex_unlock(&judging->lock);
	if (was_last)
		free_lent(lent);
}

bool judging_trouble(struct judging *judging, struct ct_error *ret_error)
{
	bool has_trouble;

	pthread_mutex_lock(&judging->lock);
	has_trouble = judging->trouble.status != CT_OK;
	if (has_trouble)
		*ret_error = judging->trouble;
	pthread_mutex_unlock(&judging->lock);
	return has_trouble;
}
