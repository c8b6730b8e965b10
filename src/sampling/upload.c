/* SPDX-License-Identifier: MIT */
/* The lock guards what other threads ask for; the store is used by the thread alone, without the lock. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "sampling/upload.h"

#define PAUSE_FIRST_NS UINT64_C(1000000000)
#define PAUSE_MOST_NS (60 * UINT64_C(1000000000))
#define NS_PER_S UINT64_C(1000000000)

struct upload {
	struct upload_options options;
	struct objects *objects;
	int end; /* readable when the thread is to end */
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool has_news; /* a window came */
	bool is_to_end;
	bool is_idle;  /* the spool was found empty, and nothing came since */
	bool is_eager; /* somebody waits: no pause is longer than the first */
	struct objects_counts counts;
};

static void wait_until(struct upload *upload, uint64_t until_ns)
{
	struct timespec until = {(time_t)(until_ns / NS_PER_S), (long)(until_ns % NS_PER_S)};

	pthread_cond_timedwait(&upload->changed, &upload->lock, &until);
}

/* Waits for a window. False: the thread is to end. */
static bool await_window(struct upload *upload)
{
	bool goes_on;

	pthread_mutex_lock(&upload->lock);
	while (!upload->has_news && !upload->is_to_end) {
		upload->is_idle = true;
		pthread_cond_broadcast(&upload->changed);
		pthread_cond_wait(&upload->changed, &upload->lock);
	}
	upload->is_idle = upload->has_news = false;
	goes_on = !upload->is_to_end;
	pthread_mutex_unlock(&upload->lock);
	return goes_on;
}

/* A pause after a failure; windows that come meanwhile do not end it. */
static void pause_after(struct upload *upload, uint64_t pause_ns)
{
	uint64_t begun_ns = clock_monotonic_ns(), now_ns = begun_ns, longest_ns;

	pthread_mutex_lock(&upload->lock);
	for (;;) {
		longest_ns =
			upload->is_eager && pause_ns > PAUSE_FIRST_NS ? PAUSE_FIRST_NS : pause_ns;
		now_ns = clock_monotonic_ns();
		if (upload->is_to_end || now_ns - begun_ns >= longest_ns)
			break;
		wait_until(upload, begun_ns + longest_ns);
	}
	pthread_mutex_unlock(&upload->lock);
}

static bool store(struct upload *upload, struct spool_window *window)
{
	struct ct_error error = {.text = ""};
	enum ct_status status =
		objects_put(upload->objects, window->key, window->descriptor, &error);

	pthread_mutex_lock(&upload->lock);
	upload->counts = objects_counts(upload->objects);
	pthread_mutex_unlock(&upload->lock);
	spool_return(upload->options.spool, window, status == CT_OK);
	if (status != CT_ERR_STOPPED)
		upload->options.tell(upload->options.context, window, status ? error.text : NULL);
	return status == CT_OK;
}

static void *run(void *context)
{
	struct upload *upload = context;
	uint64_t pause_ns = PAUSE_FIRST_NS;
	struct spool_window window;
	bool goes_on = true;

	while (goes_on) {
		if (spool_take(upload->options.spool, &window, NULL) != CT_OK) {
			goes_on = await_window(upload);
			continue;
		}
		if (store(upload, &window)) {
			pause_ns = PAUSE_FIRST_NS;
		} else {
			pause_after(upload, pause_ns);
			pause_ns = pause_ns < PAUSE_MOST_NS / 2 ? 2 * pause_ns : PAUSE_MOST_NS;
		}
		pthread_mutex_lock(&upload->lock);
		goes_on = !upload->is_to_end;
		pthread_mutex_unlock(&upload->lock);
	}
	return NULL;
}

static void init_waiting(struct upload *upload)
{
	pthread_condattr_t monotonic;

	pthread_mutex_init(&upload->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&upload->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

enum ct_status upload_open(
	const struct upload_options *options, struct upload **ret_upload, struct ct_error *reterr)
{
	struct upload *upload = calloc(1, sizeof(*upload));
	struct objects_options how = {.wake_descriptor = 0};
	enum ct_status status = CT_OK;

	if (!upload)
		return ct_fail_memory(reterr);
	upload->options = *options;
	init_waiting(upload);
	upload->end = how.wake_descriptor = eventfd(0, EFD_CLOEXEC);
	if (upload->end < 0)
		status = ct_fail_errno(reterr, "making an eventfd");
	if (status == CT_OK)
		status = objects_open(options->destination, &how, &upload->objects, reterr);
	if (status == CT_OK) {
		upload->has_thread = thread_start(&upload->thread, run, upload) == 0;
		if (!upload->has_thread)
			status = ct_fail_memory(reterr);
	}
	if (status)
		upload_close(upload);
	else
		*ret_upload = upload;
	return status;
}

void upload_wake(struct upload *upload)
{
	pthread_mutex_lock(&upload->lock);
	upload->has_news = true;
	upload->is_idle = false;
	pthread_cond_broadcast(&upload->changed);
	pthread_mutex_unlock(&upload->lock);
}

bool upload_settle(struct upload *upload, uint64_t longest_ns)
{
	uint64_t until_ns = clock_monotonic_ns() + longest_ns;
	bool is_settled;

	pthread_mutex_lock(&upload->lock);
	upload->is_eager = true;
	pthread_cond_broadcast(&upload->changed);
	while (!upload->is_idle && clock_monotonic_ns() < until_ns)
		wait_until(upload, until_ns);
	upload->is_eager = false;
	is_settled = upload->is_idle;
	pthread_mutex_unlock(&upload->lock);
	return is_settled;
}

struct objects_counts upload_counts(struct upload *upload)
{
	struct objects_counts counts;

	pthread_mutex_lock(&upload->lock);
	counts = upload->counts;
	pthread_mutex_unlock(&upload->lock);
	return counts;
}

void upload_close(struct upload *upload)
{
	uint64_t one = 1;

	if (!upload)
		return;
	pthread_mutex_lock(&upload->lock);
	upload->is_to_end = true;
	pthread_cond_broadcast(&upload->changed);
	pthread_mutex_unlock(&upload->lock);
	if (upload->end >= 0)
		(void)!write(upload->end, &one, sizeof(one));
	if (upload->has_thread)
		pthread_join(upload->thread, NULL);
	objects_close(upload->objects);
	if (upload->end >= 0)
		close(upload->end);
	pthread_cond_destroy(&upload->changed);
	pthread_mutex_destroy(&upload->lock);
	free(upload);
}
