/* SPDX-License-Identifier: MIT */
/*
 * One thread steps the recording until the process has ended or the recording is closed; another thread asks for the
 * trace so far. After the process has ended, the recording is no longer stepped, so the first thread leaves the last
 * trace in a file of a temporary folder, which is removed with the recording.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "private_folder.h"
#include "top/recording.h"
#include "top/threads.h"

#define PAST_BYTES (UINT64_C(32) << 20) /* also bounds the time that a snapshot takes */
#define PAST_NS INT64_C(3600000000000)

struct top_recording {
	struct ct_record *record;
	int wake;
	struct private_folder folder;
	pthread_t thread;
	pthread_mutex_t lock; /* protects all members below */
	bool is_stopping;
	bool has_ended;
	char *last; /* the file with the last trace; NULL: there is none, or it was handed out */
};

/* ---------------------------------------------------------------- the thread */

static bool is_stopping(struct top_recording *recording)
{
	bool is_stopping;

	pthread_mutex_lock(&recording->lock);
	is_stopping = recording->is_stopping;
	pthread_mutex_unlock(&recording->lock);
	return is_stopping;
}

static void leave_last(struct top_recording *recording)
{
	const struct ct_dump *dumps;
	uint32_t nr_dumps;
	char *last = NULL;

	if (ct_record_dump(recording->record, "the process has ended", NULL) == CT_OK) {
		dumps = ct_record_dumps(recording->record, &nr_dumps, NULL);
		last = strdup(dumps[nr_dumps - 1].path);
	}
	pthread_mutex_lock(&recording->lock);
	recording->last = last;
	recording->has_ended = true;
	pthread_mutex_unlock(&recording->lock);
}

static void *work(void *argument)
{
	struct top_recording *recording = argument;

	while (!is_stopping(recording)) {
		if (ct_record_step(recording->record, -1, NULL) == CT_OK)
			continue;
		leave_last(recording);
		break;
	}
	return NULL;
}

/* ---------------------------------------------------------------- opened */

static enum ct_status make_folder(struct top_recording *recording, struct ct_error *reterr)
{
	if (!private_folder_make(&recording->folder, "now.ctrace"))
		return top_fail(reterr, errno, "making a folder for what the process leaves");
	return CT_OK;
}

static enum ct_status start(struct top_recording *recording, int64_t pid, struct ct_error *reterr)
{
	struct ct_flight_options flight = {
		.size = sizeof(flight), .window_ns = PAST_NS, .window_bytes = PAST_BYTES};
	struct ct_record_options options = {.size = sizeof(options),
		.output = recording->folder.file,
		.pid = pid,
		.flight = &flight};
	enum ct_status status = make_folder(recording, reterr);

	if (status)
		return status;
	recording->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (recording->wake < 0)
		return top_fail(reterr, errno, "making an event descriptor");
	options.wake_descriptor = recording->wake;
	status = ct_record_open(&options, &recording->record, reterr);
	if (status)
		return status;
	return top_thread_start(&recording->thread, work, recording, reterr);
}

/* If the process crashed, its dump is a file there. */
static void remove_folder(struct top_recording *recording)
{
	const struct ct_dump *dumps;
	uint32_t nr_dumps = 0, i;

	dumps = recording->record ? ct_record_dumps(recording->record, &nr_dumps, NULL) : NULL;
	for (i = 0; i < nr_dumps; i++)
		unlink(dumps[i].path);
	private_folder_remove(&recording->folder);
}

static void free_recording(struct top_recording *recording)
{
	remove_folder(recording);
	if (recording->record)
		ct_record_close(recording->record, NULL);
	if (recording->wake >= 0)
		close(recording->wake);
	pthread_mutex_destroy(&recording->lock);
	free(recording->last);
	free(recording);
}

enum ct_status top_recording_open(
	int64_t pid, struct top_recording **ret_recording, struct ct_error *reterr)
{
	struct top_recording *recording = calloc(1, sizeof(*recording));
	enum ct_status status;

	if (!recording)
		return top_fail(reterr, ENOMEM, "preparing a recording");
	recording->wake = -1;
	pthread_mutex_init(&recording->lock, NULL);
	status = start(recording, pid, reterr);
	if (status)
		free_recording(recording);
	else
		*ret_recording = recording;
	return status;
}

void top_recording_close(struct top_recording *recording)
{
	if (!recording)
		return;
	pthread_mutex_lock(&recording->lock);
	recording->is_stopping = true;
	pthread_mutex_unlock(&recording->lock);
	(void)!write(recording->wake, &(uint64_t){1}, sizeof(uint64_t));
	pthread_join(recording->thread, NULL);
	free_recording(recording);
}

/* ---------------------------------------------------------------- the trace */

static bool take_last(struct top_recording *recording, char **ret_last)
{
	bool has_ended;

	pthread_mutex_lock(&recording->lock);
	has_ended = recording->has_ended;
	*ret_last = recording->last;
	recording->last = NULL;
	pthread_mutex_unlock(&recording->lock);
	return has_ended;
}

enum ct_status top_recording_open_trace(struct top_recording *recording,
	const struct ct_open_options *options, struct ct_trace **ret_trace, bool *ret_is_growing,
	struct ct_error *reterr)
{
	enum ct_status status;
	char *last;

	*ret_is_growing = !take_last(recording, &last);
	if (*ret_is_growing)
		return ct_record_open_trace(recording->record, options, ret_trace, reterr);
	if (!last)
		return CT_END;
	status = ct_trace_open(last, options, ret_trace, reterr);
	free(last);
	return status;
}
