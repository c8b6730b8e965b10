/* SPDX-License-Identifier: MIT */
/* A program's thread: it waits for the next window, asks whether that may begin, and takes it. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failure.h"
#include "base/io.h"
#include "base/thread.h"
#include "kernel/procfs.h"
#include "sampling/program.h"
#include "sampling/window.h"

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)
#define AGAIN_MS 50 /* until a probe is looked for again, at first */
#define AGAIN_MOST_MS 5000

/* ---------------------------------------------------------------- waiting */

/* False: the process has ended, or the thread is to end. */
static bool wait_until(const struct program *program, uint64_t until_ns)
{
	struct pollfd ends[] = {
		{.fd = program->process, .events = POLLIN}, {.fd = program->end, .events = POLLIN}};
	uint64_t now_ns;
	int wait_ms, nr_ready;

	for (;;) {
		now_ns = clock_monotonic_ns();
		wait_ms = until_ns <= now_ns ? 0
			  : until_ns - now_ns > 3600 * NS_PER_S
				  ? 3600000
				  : (int)((until_ns - now_ns) / NS_PER_MS) + 1;
		nr_ready = poll(ends, 2, wait_ms);
		if (nr_ready > 0)
			return false;
		if (nr_ready == 0 && now_ns >= until_ns)
			return true;
	}
}

static bool is_loaded(const struct ct_sampling *sampling)
{
	long nr_processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t nr_bytes;
	char *text;
	bool is_loaded;

	if (io_read_file("/proc/loadavg", 4096, &text, &nr_bytes, NULL))
		return false;
	is_loaded = sampling_is_loaded(text, nr_processors > 0 ? (unsigned)nr_processors : 1,
		sampling->options.load_percent);
	free(text);
	return is_loaded;
}

/* Waits until fewer windows are being recorded than may be, until the period is over. */
static bool take_turn(struct program *program, uint64_t until_ns)
{
	struct ct_sampling *sampling = program->sampling;
	struct timespec until = {(time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S)};
	bool has_turn;

	pthread_mutex_lock(&sampling->lock);
	while (sampling->nr_recording >= sampling->options.most_at_once && !program->is_to_end &&
		pthread_cond_timedwait(&sampling->turn, &sampling->lock, &until) == 0)
		;
	has_turn = sampling->nr_recording < sampling->options.most_at_once && !program->is_to_end;
	sampling->nr_recording += has_turn;
	pthread_mutex_unlock(&sampling->lock);
	return has_turn;
}

static bool is_to_end(const struct program *program)
{
	bool is_to_end;

	pthread_mutex_lock(&program->sampling->lock);
	is_to_end = program->is_to_end;
	pthread_mutex_unlock(&program->sampling->lock);
	return is_to_end;
}

static void end_turn(struct ct_sampling *sampling)
{
	pthread_mutex_lock(&sampling->lock);
	sampling->nr_recording--;
	pthread_cond_broadcast(&sampling->turn);
	pthread_mutex_unlock(&sampling->lock);
}

/* ---------------------------------------------------------------- windows */

/* A program that was just started may have no probe yet. */
static enum ct_status take_when_ready(
	struct program *program, uint64_t until_ns, struct ct_error *reterr)
{
	uint64_t pause_ns = AGAIN_MS * NS_PER_MS;
	enum ct_status status = window_take(program, reterr);

	while (status == CT_ERR_NO_PROBE && clock_monotonic_ns() + pause_ns < until_ns &&
		wait_until(program, clock_monotonic_ns() + pause_ns)) {
		status = window_take(program, reterr);
		if (pause_ns < AGAIN_MOST_MS * NS_PER_MS)
			pause_ns *= 2;
	}
	return status;
}

static void note_outcome(
	const struct program *program, enum ct_status status, const struct ct_error *error)
{
	if (status == CT_ERR_BUSY)
		sampling_skip(program, SAMPLING_BUSY);
	else if (status == CT_ERR_NO_PROBE)
		sampling_skip(program, SAMPLING_PROBE);
	if (status >= 0 || status == CT_ERR_BUSY || status == CT_ERR_NO_PROBE ||
		status == CT_ERR_STOPPED || (status == CT_ERR_NOT_FOUND && program->process >= 0))
		return;
	sampling_count(program->sampling, &program->sampling->counts.nr_failed, 1);
	sampling_tell(program->sampling, (struct ct_sampling_event){.kind = CT_SAMPLING_FAILED,
						 .service = program->service,
						 .pid = program->sampled.pid,
						 .text = error->text});
}

/* False: there will be no more windows. */
static bool take_window(struct program *program, uint64_t due_ns)
{
	uint64_t until_ns =
		due_ns + (uint64_t)(program->sampled.every_ns - program->sampled.for_ns);
	enum sampling_reason reason = sampling_use(program->sampling, 0);
	struct ct_error error = {.text = ""};
	enum ct_status status;

	if (reason == SAMPLING_MAY && is_loaded(program->sampling))
		reason = SAMPLING_LOAD;
	if (reason == SAMPLING_LOAD)
		schedule_back_off(&program->schedule);
	else
		schedule_speed_up(&program->schedule);
	if (reason == SAMPLING_MAY && !take_turn(program, until_ns)) {
		if (is_to_end(program))
			return false;
		reason = SAMPLING_LATE;
	}
	if (reason != SAMPLING_MAY) {
		sampling_skip(program, reason);
		return true;
	}
	status = take_when_ready(program, until_ns, &error);
	end_turn(program->sampling);
	note_outcome(program, status, &error);
	return status != CT_ERR_NOT_FOUND || program->process < 0;
}

static void *run(void *context)
{
	struct program *program = context;
	struct ct_sampling *sampling = program->sampling;
	uint64_t due_ns, missed, i;

	do {
		due_ns = schedule_next(&program->schedule, clock_monotonic_ns(), &missed);
		for (i = 0; i < missed; i++)
			sampling_skip(program, SAMPLING_LATE);
	} while (wait_until(program, due_ns) && take_window(program, due_ns));
	pthread_mutex_lock(&sampling->lock);
	program->is_over = true;
	pthread_mutex_unlock(&sampling->lock);
	sampling_tell(sampling, (struct ct_sampling_event){.kind = CT_SAMPLING_GONE,
					.service = program->service,
					.pid = program->sampled.pid});
	return NULL;
}

/* ---------------------------------------------------------------- the program */

/* The last part of the first word of the command line, or what the address names. */
static void name_service(struct program *program, const struct ct_sampled *sampled)
{
	char command[256] = "", *word = command, *end;

	if (sampled->service) {
		keys_name(sampled->service, program->service);
		return;
	}
	if (sampled->address)
		snprintf(command, sizeof(command), "%s",
			strstr(sampled->address, "://") ? strstr(sampled->address, "://") + 3
							: sampled->address);
	else
		procfs_command_line((pid_t)sampled->pid, command, sizeof(command));
	end = strpbrk(command, sampled->address ? "/?" : " ");
	if (end)
		*end = '\0';
	if (!sampled->address && strrchr(command, '/'))
		word = strrchr(command, '/') + 1;
	keys_name(word, program->service);
}

static enum ct_status prepare(
	struct program *program, const struct ct_sampled *sampled, struct ct_error *reterr)
{
	uint64_t chance = clock_realtime_ns();

	program->process = program->end = -1;
	program->sampled = *sampled;
	name_service(program, sampled);
	program->end = eventfd(0, EFD_CLOEXEC);
	if (program->end < 0)
		return ct_fail_errno(reterr, "making an eventfd");
	if (sampled->pid > 0) {
		program->process = (int)syscall(SYS_pidfd_open, (pid_t)sampled->pid, 0);
		if (program->process < 0)
			return errno == ESRCH ? ct_fail(reterr, CT_ERR_NOT_FOUND,
							"there is no process %lld",
							(long long)sampled->pid)
					      : ct_fail_errno(reterr, "watching process %lld",
							(long long)sampled->pid);
	} else {
		program->address = strdup(sampled->address);
		if (!program->address)
			return ct_fail_memory(reterr);
	}
	(void)!getrandom(&chance, sizeof(chance), GRND_NONBLOCK);
	program->schedule = schedule_begin(clock_monotonic_ns(), (uint64_t)sampled->every_ns,
		(uint64_t)sampled->for_ns, sampled->has_jitter, chance);
	return CT_OK;
}

static void free_program(struct program *program)
{
	if (program->process >= 0)
		close(program->process);
	if (program->end >= 0)
		close(program->end);
	free(program->address);
	free(program);
}

enum ct_status program_open(struct ct_sampling *sampling, const struct ct_sampled *sampled,
	struct program **ret_program, struct ct_error *reterr)
{
	struct program *program = calloc(1, sizeof(*program));
	enum ct_status status;

	if (!program)
		return ct_fail_memory(reterr);
	program->sampling = sampling;
	status = prepare(program, sampled, reterr);
	if (status == CT_OK)
		sampling_tell(sampling, (struct ct_sampling_event){.kind = CT_SAMPLING_FOUND,
						.service = program->service,
						.pid = sampled->pid,
						.text = program->address});
	if (status == CT_OK && thread_start(&program->thread, run, program) != 0)
		status = ct_fail_memory(reterr);
	if (status)
		free_program(program);
	else
		*ret_program = program;
	return status;
}

void program_end(struct program *program)
{
	struct ct_sampling *sampling = program->sampling;
	uint64_t one = 1;

	pthread_mutex_lock(&sampling->lock);
	program->is_to_end = true;
	pthread_cond_broadcast(&sampling->turn);
	pthread_mutex_unlock(&sampling->lock);
	(void)!write(program->end, &one, sizeof(one));
}

void program_close(struct program *program)
{
	program_end(program);
	pthread_join(program->thread, NULL);
	free_program(program);
}
