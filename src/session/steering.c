/* SPDX-License-Identifier: MIT */
/*
 * An order is a request in a list. An eventfd wakes the recording's thread, which takes the request out and carries it
 * out, or sends it through the queue. The last of the two sides to finish frees the request: the asking side after it
 * got the outcome, or the side that carries it out if the asking thread has given up.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "session/steering.h"
#include "stages/filter.h"

#define PATIENCE_SECONDS 5
#define PUBLISH_NS UINT64_C(100000000)
#define FLUSH_NS \
	UINT64_C(400000000) /* while somebody watches, recorded events become readable this soon */
#define WATCHED_NS UINT64_C(3000000000)
#define WATCHED_WAIT_MS 250

enum request_type {
	REQUEST_ORDER,
	REQUEST_COPY,
};

struct request {
	struct request *next;
	struct steering *steering;
	enum request_type type;
	struct steering_order order;
	int descriptor;    /* for REQUEST_COPY */
	uint64_t now_ns;   /* when the request was taken out */
	bool is_done;      /* the outcome below is set */
	bool is_abandoned; /* the asking thread has given up */
	enum ct_status outcome;
	struct ct_error error;
};

struct steering {
	struct steering_of of; /* set by steering_take */
	int waiting;           /* an epoll descriptor */
	int news;              /* an eventfd */

	/* These two are used only by the thread that steps. */
	uint64_t published_ns;
	uint64_t flushed_ns;

	pthread_mutex_t lock; /* protects everything below */
	pthread_cond_t done;
	bool is_over;
	bool is_taken;
	struct request *first, *last;
	struct ct_record_now now;
	uint64_t nr_taken;       /* events taken by then */
	uint64_t nr_lost_before; /* events lost before they could be taken */
	uint64_t looked_ns;      /* the time of these counts */
	uint64_t watched_ns;     /* when the state was last asked for */
};

/* ---------------------------------------------------------------- making and freeing */

static enum ct_status watch(struct steering *steering, int descriptor, struct ct_error *reterr)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (epoll_ctl(steering->waiting, EPOLL_CTL_ADD, descriptor, &event))
		return ct_fail_errno(reterr, "watching the descriptor that ends a wait");
	return CT_OK;
}

enum ct_status steering_new(
	int wake_descriptor, struct steering **ret_steering, struct ct_error *reterr)
{
	struct steering *steering = calloc(1, sizeof(*steering));
	pthread_condattr_t monotonic;
	enum ct_status status = CT_OK;

	if (!steering)
		return ct_fail_memory(reterr);
	pthread_mutex_init(&steering->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&steering->done, &monotonic);
	pthread_condattr_destroy(&monotonic);
	steering->waiting = epoll_create1(EPOLL_CLOEXEC);
	steering->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (steering->waiting < 0 || steering->news < 0)
		status = ct_fail_errno(reterr, "making an eventfd");
	if (status == CT_OK)
		status = watch(steering, steering->news, reterr);
	if (status == CT_OK && wake_descriptor > 0)
		status = watch(steering, wake_descriptor, reterr);
	if (status)
		steering_free(steering);
	else
		*ret_steering = steering;
	return status;
}

int steering_descriptor(const struct steering *steering)
{
	return steering->waiting;
}

void steering_take(struct steering *steering, const struct steering_of *of)
{
	pthread_mutex_lock(&steering->lock);
	steering->of = *of;
	steering->is_taken = true;
	steering->looked_ns = clock_monotonic_ns();
	pthread_mutex_unlock(&steering->lock);
}

void steering_free(struct steering *steering)
{
	if (!steering)
		return;
	if (steering->waiting >= 0)
		close(steering->waiting);
	if (steering->news >= 0)
		close(steering->news);
	pthread_cond_destroy(&steering->done);
	pthread_mutex_destroy(&steering->lock);
	free(steering);
}

/* ---------------------------------------------------------------- requests */

static void free_request(struct request *request)
{
	steering_order_fini(&request->order);
	if (request->descriptor >= 0)
		close(request->descriptor);
	free(request);
}

static void finish(struct request *request, enum ct_status outcome)
{
	struct steering *steering = request->steering;
	bool is_abandoned;

	pthread_mutex_lock(&steering->lock);
	request->outcome = outcome;
	request->is_done = true;
	is_abandoned = request->is_abandoned;
	pthread_cond_broadcast(&steering->done);
	pthread_mutex_unlock(&steering->lock);
	if (is_abandoned)
		free_request(request);
}

/* Waits for the request. The lock must be held; it is released while waiting. */
static void wait_for(struct steering *steering, struct request *request)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += PATIENCE_SECONDS;
	while (!request->is_done &&
		pthread_cond_timedwait(&steering->done, &steering->lock, &until) == 0)
		;
	request->is_abandoned = !request->is_done;
}

static bool enqueue(struct steering *steering, struct request *request)
{
	uint64_t one = 1;

	if (steering->is_over || !steering->is_taken)
		return false;
	if (steering->last)
		steering->last->next = request;
	else
		steering->first = request;
	steering->last = request;
	(void)!write(steering->news, &one, sizeof(one));
	return true;
}

/* Asks, and takes over the request. */
static enum ct_status ask(
	struct steering *steering, struct request *request, struct ct_error *reterr)
{
	enum ct_status status;
	bool was_taken, is_abandoned = false;

	pthread_mutex_lock(&steering->lock);
	was_taken = enqueue(steering, request);
	if (was_taken)
		wait_for(steering, request);
	is_abandoned = request->is_abandoned;
	pthread_mutex_unlock(&steering->lock);
	if (is_abandoned)
		return ct_fail(reterr, CT_ERR_BUSY, "the recording has not answered for %d s",
			PATIENCE_SECONDS);
	if (!was_taken)
		status = ct_fail(reterr, CT_ERR_USAGE, "the recording is over");
	else
		status = request->outcome;
	if (was_taken && status && reterr)
		*reterr = request->error;
	free_request(request);
	return status;
}

static struct request *take_request(struct steering *steering)
{
	struct request *request;

	pthread_mutex_lock(&steering->lock);
	request = steering->first;
	if (request) {
		steering->first = request->next;
		if (!steering->first)
			steering->last = NULL;
	}
	pthread_mutex_unlock(&steering->lock);
	return request;
}

/* ---------------------------------------------------------------- the published state */

/* Runs on the queue's thread, after the last of nr_taken events: the filter's counts are then those of these events. */
static void publish_behind_queue(void *context, uint64_t nr_taken)
{
	struct steering *steering = context;
	struct ct_sink *filter = steering->of.filter;
	uint64_t nr_unwanted = filter_nr_left_out(filter);
	uint64_t nr_left_out = filter_nr_told(filter);
	uint32_t categories_off = filter_categories_off(filter);
	bool is_open = filter_is_open(filter);
	struct queue_state queue;

	queue_state(steering->of.queue, &queue);
	pthread_mutex_lock(&steering->lock);
	steering->nr_taken = nr_taken;
	steering->now.nr_events = nr_taken - nr_unwanted - queue.nr_lost;
	steering->now.nr_lost = steering->nr_lost_before + queue.nr_lost;
	steering->now.nr_left_out = nr_left_out;
	steering->now.is_open = is_open;
	steering->now.categories_off = categories_off;
	pthread_mutex_unlock(&steering->lock);
}

static void publish(struct steering *steering, uint64_t now_ns)
{
	struct ct_record_stats stats;
	uint32_t nr_dumps = 0;

	collect_stats(steering->of.collect, &stats);
	if (steering->of.flight)
		flight_dumps(steering->of.flight, &nr_dumps, NULL);
	pthread_mutex_lock(&steering->lock);
	steering->looked_ns = now_ns;
	steering->nr_lost_before = stats.nr_lost;
	steering->now.target_pid = stats.target_pid;
	steering->now.has_ended = stats.has_ended;
	steering->now.has_probe = stats.has_probe;
	steering->now.nr_segments = stats.nr_segments;
	steering->now.is_flight = steering->of.flight != NULL;
	steering->now.nr_dumps = nr_dumps;
	pthread_mutex_unlock(&steering->lock);
	queue_call(steering->of.queue, publish_behind_queue, steering, stats.nr_events);
}

/* ---------------------------------------------------------------- carrying out orders */

static const enum filter_subject subjects[NR_ORDERS] = {
	[ORDER_START] = FILTER_START,
	[ORDER_STOP] = FILTER_STOP,
	[ORDER_CATEGORIES] = FILTER_CATEGORIES,
	[ORDER_NO_CATEGORY] = FILTER_CATEGORIES,
	[ORDER_SAMPLE] = FILTER_SAMPLE,
	[ORDER_LEAVE_OUT_SITE] = FILTER_SITES,
	[ORDER_LEAVE_OUT_NAME] = FILTER_NAMES,
	[ORDER_LEAVE_OUT_TASK] = FILTER_TASKS,
};

static void change_filter(void *context, uint64_t now_ns)
{
	struct request *request = context;
	struct steering *steering = request->steering;
	struct filter_change change = {
		.subject = subjects[request->order.verb],
		.number = request->order.number,
		.patterns = request->order.patterns,
		.now_ns = now_ns,
	};
	enum ct_status status = filter_change(steering->of.filter, &change, &request->error);

	publish_behind_queue(steering, steering->nr_taken);
	finish(request, status);
}

static void copy_window(void *context, uint64_t now_ns)
{
	struct request *request = context;

	finish(request, flight_copy(request->steering->of.flight, request->descriptor, now_ns,
				&request->error));
}

/* Everything that was published before is visible by then. */
static void finish_in_turn(void *request, uint64_t unused)
{
	(void)unused;
	finish(request, CT_OK);
}

static void dump(struct steering *steering, struct request *request)
{
	const struct steering_of *of = &steering->of;
	enum ct_status status = of->dump(of->context, "asked for by an order", &request->error);

	publish(steering, request->now_ns);
	finish(request, status);
}

static void carry_out_order(struct steering *steering, struct request *request)
{
	const struct steering_of *of = &steering->of;

	switch (request->order.verb) {
	case ORDER_STATUS:
		queue_call(of->queue, finish_in_turn, request, 0);
		return;
	case ORDER_DUMP:
		dump(steering, request);
		return;
	case ORDER_CATEGORIES:
	case ORDER_NO_CATEGORY:
		collect_leave_out(of->collect, request->order.number);
		queue_call(of->queue, change_filter, request, request->now_ns);
		return;
	default:
		queue_call(of->queue, change_filter, request, request->now_ns);
		return;
	}
}

static void carry_out(struct steering *steering, struct request *request)
{
	request->now_ns = clock_monotonic_ns();
	if (request->type == REQUEST_ORDER)
		carry_out_order(steering, request);
	else if (!steering->of.flight)
		finish(request, ct_fail(&request->error, CT_ERR_USAGE, "everything is recorded"));
	else
		queue_call(steering->of.queue, copy_window, request, request->now_ns);
}

/* ---------------------------------------------------------------- steps of the recording */

static bool is_watched(struct steering *steering, uint64_t now_ns)
{
	bool is_watched;

	pthread_mutex_lock(&steering->lock);
	is_watched = steering->watched_ns && now_ns - steering->watched_ns < WATCHED_NS;
	pthread_mutex_unlock(&steering->lock);
	return is_watched;
}

/* A recording that nobody watches must not cost more than before. */
static void show(struct steering *steering, uint64_t now_ns)
{
	if (now_ns - steering->published_ns < PUBLISH_NS || !is_watched(steering, now_ns))
		return;
	steering->published_ns = now_ns;
	publish(steering, now_ns);
	if (now_ns - steering->flushed_ns < FLUSH_NS)
		return;
	steering->flushed_ns = now_ns;
	sink_flush(steering->of.sink, NULL);
}

void steering_step(struct steering *steering)
{
	uint64_t now_ns = clock_monotonic_ns(), nr_news;
	struct request *request;

	show(steering, now_ns);
	if (read(steering->news, &nr_news, sizeof(nr_news)) < 0)
		return;
	publish(steering, now_ns);
	while ((request = take_request(steering)))
		carry_out(steering, request);
}

void steering_end(struct steering *steering)
{
	struct request *request;

	pthread_mutex_lock(&steering->lock);
	steering->is_over = true;
	pthread_mutex_unlock(&steering->lock);
	while ((request = take_request(steering)))
		finish(request, ct_fail(&request->error, CT_ERR_USAGE, "the recording is over"));
}

int steering_wait_ms(struct steering *steering, int wait_ms)
{
	if (wait_ms >= 0 && wait_ms <= WATCHED_WAIT_MS)
		return wait_ms;
	return is_watched(steering, clock_monotonic_ns()) ? WATCHED_WAIT_MS : wait_ms;
}

/* ---------------------------------------------------------------- functions for other threads */

void steering_now(struct steering *steering, struct ct_record_now *ret_now)
{
	uint64_t now_ns = clock_monotonic_ns();

	pthread_mutex_lock(&steering->lock);
	steering->watched_ns = now_ns;
	*ret_now = steering->now;
	ret_now->age_ns = now_ns > steering->looked_ns ? now_ns - steering->looked_ns : 0;
	pthread_mutex_unlock(&steering->lock);
}

static struct request *new_request(struct steering *steering, enum request_type type)
{
	struct request *request = calloc(1, sizeof(*request));

	if (!request)
		return NULL;
	request->steering = steering;
	request->type = type;
	request->descriptor = -1;
	return request;
}

enum ct_status steering_ask(struct steering *steering, const char *order, struct ct_error *reterr)
{
	struct request *request = new_request(steering, REQUEST_ORDER);
	enum ct_status status;

	if (!request)
		return ct_fail_memory(reterr);
	status = steering_order_read(order, &request->order, reterr);
	if (status) {
		free_request(request);
		return status;
	}
	return ask(steering, request, reterr);
}

/* The request gets a descriptor of its own, because the caller may have given up by the time it is used. */
int steering_open_window(struct steering *steering)
{
	struct request *request = new_request(steering, REQUEST_COPY);
	int window = memfd_create("corotracer-window", MFD_CLOEXEC);

	if (request)
		request->descriptor = fcntl(window, F_DUPFD_CLOEXEC, 3);
	if (!request || request->descriptor < 0) {
		if (request)
			free_request(request);
	} else if (ask(steering, request, NULL) == CT_OK) {
		return window;
	}
	if (window >= 0)
		close(window);
	return -1;
}
