/* SPDX-License-Identifier: MIT */
/*
 * One lock protects the list. A window is listed and judged without the lock: the thread alone changes which windows
 * there are, and judges a copy.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "fleet/window.h"
#include "objects/traces.h"

#define PAUSE_MS 30000
#define PAUSE_NS UINT64_C(30000000000)
#define NICE 10

struct fleet {
	struct fleet_options options;
	char *place;
	int wake; /* becomes readable when the thread shall end */
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock; /* protects everything below */
	struct windows windows;
	bool is_listed;
	struct ct_error trouble; /* status CT_OK: no trouble */
};

static bool has_to_end(const struct fleet *fleet, int wait_ms)
{
	struct pollfd wake = {.fd = fleet->wake, .events = POLLIN};

	return poll(&wake, 1, wait_ms) > 0;
}

/* ---------------------------------------------------------------- listing */

static bool add(void *context, const char *trace)
{
	struct windows *fresh = context;
	struct window *window;

	if (fresh->all.count >= FLEET_WINDOWS_MAX) {
		fresh->nr_beyond++;
		return true;
	}
	window = fleet_window_new(trace);
	if (!window || !vec_push(&fresh->all, window)) {
		if (window)
			fleet_window_free(window);
		fresh->nr_strange++;
	}
	return true;
}

static void list(struct fleet *fleet)
{
	const struct objects_options options = {.wake_descriptor = fleet->wake};
	struct windows fresh = {0};
	struct ct_error trouble = {0};
	enum ct_status status = objects_list_traces(fleet->place, &options, add, &fresh, &trouble);

	pthread_mutex_lock(&fleet->lock);
	if (status == CT_OK || status == CT_ERR_NOT_FOUND) {
		fleet_windows_take(&fleet->windows, &fresh);
		fleet->is_listed = true;
	}
	fleet->trouble = trouble;
	fleet->trouble.status = status == CT_ERR_STOPPED ? CT_OK : status;
	pthread_mutex_unlock(&fleet->lock);
	fleet_windows_fini(&fresh);
}

/* ---------------------------------------------------------------- judging */

/* The list stays as it is meanwhile; readers do not look at what waits. */
static bool judge_next(struct fleet *fleet)
{
	struct window *window, judged;

	pthread_mutex_lock(&fleet->lock);
	window = fleet_windows_next(&fleet->windows);
	pthread_mutex_unlock(&fleet->lock);
	if (!window)
		return false;
	judged = *window;
	if (!fleet_window_judge(&judged, &fleet->options, fleet->wake))
		return false;
	pthread_mutex_lock(&fleet->lock);
	*window = judged;
	pthread_mutex_unlock(&fleet->lock);
	return true;
}

static void *work(void *context)
{
	struct fleet *fleet = context;
	uint64_t listed_ns;

	setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	do {
		list(fleet);
		listed_ns = clock_monotonic_ns();
		while (!has_to_end(fleet, 0) && clock_monotonic_ns() - listed_ns < PAUSE_NS &&
			judge_next(fleet))
			;
	} while (!has_to_end(fleet, PAUSE_MS));
	return NULL;
}

/* ---------------------------------------------------------------- telling */

static void tell_text(struct json *json, const char *key, const char *value)
{
	json_key(json, key);
	if (value)
		json_text(json, value);
	else
		json_null(json);
}

static void tell_window(struct json *json, const struct window *window)
{
	bool is_judged = window->state == WINDOW_JUDGED;

	json_open(json, '{');
	tell_text(json, "trace", window->trace);
	tell_text(json, "host", window->host);
	json_key_number(json, "began", window->began);
	tell_text(json, "grade", is_judged ? ct_grade_name(window->grade) : NULL);
	tell_text(json, "title", is_judged ? window->words : NULL);
	tell_text(json, "error", is_judged ? NULL : window->words);
	json_key_unsigned(json, "nr_findings", window->nr_findings);
	json_key_unsigned(json, "nr_events", window->nr_events);
	json_key_unsigned(json, "nr_lost", window->nr_lost);
	json_key(json, "delay_p99_ns");
	if (is_judged && window->delay_p99_ns >= 0)
		json_number(json, window->delay_p99_ns);
	else
		json_null(json);
	json_close(json, '}');
}

/* Windows of one service, which are neighbours in the list. */
struct service {
	struct window *const *windows; /* the newest first */
	size_t nr_windows;
	enum ct_grade worst;
	size_t nr_found; /* windows with a finding of that grade */
};

static void tell_service(struct json *json, const struct service *service)
{
	size_t i;

	json_open(json, '{');
	tell_text(json, "service", service->windows[0]->service);
	json_key_unsigned(json, "nr_windows", service->nr_windows);
	json_key_open(json, "windows", '[');
	for (i = service->nr_windows; i-- > 0;)
		if (service->windows[i]->state != WINDOW_WAITS)
			tell_window(json, service->windows[i]);
	json_close(json, ']');
	json_close(json, '}');
}

static int compare_services(const void *left, const void *right)
{
	const struct service *one = left, *other = right;

	if (one->worst != other->worst)
		return one->worst > other->worst ? -1 : 1;
	if (one->nr_found != other->nr_found)
		return one->nr_found > other->nr_found ? -1 : 1;
	return strcmp(one->windows[0]->service, other->windows[0]->service);
}

static void count_finding(struct service *service, const struct window *window)
{
	service->nr_windows++;
	if (window->grade > service->worst) {
		service->worst = window->grade;
		service->nr_found = 0;
	}
	service->nr_found += window->grade && window->grade == service->worst;
}

static void tell_services(struct json *json, const struct windows *windows)
{
	VEC(struct service) services = {0};
	size_t i;

	for (i = 0; i < windows->all.count; i++) {
		const struct service fresh = {.windows = &windows->all.at[i]};

		if (!windows->all.at[i]->age && !vec_push(&services, fresh))
			json->text->is_broken = true;
		if (services.count)
			count_finding(&services.at[services.count - 1], windows->all.at[i]);
	}
	if (services.count)
		qsort(services.at, services.count, sizeof(*services.at), compare_services);
	json_open(json, '[');
	for (i = 0; i < services.count; i++)
		tell_service(json, &services.at[i]);
	json_close(json, ']');
	vec_fini(&services);
}

static void tell_counts(struct json *json, const struct windows *windows)
{
	uint64_t nr_judged = 0, nr_waiting = 0;
	bool goes_on = fleet_windows_next(windows) != NULL;
	size_t i;

	for (i = 0; i < windows->all.count; i++) {
		const struct window *window = windows->all.at[i];

		nr_judged += window->state != WINDOW_WAITS;
		nr_waiting += goes_on && window->state == WINDOW_WAITS &&
			      window->age < FLEET_JUDGED_OF_SERVICE;
	}
	json_key_unsigned(json, "nr_windows", windows->all.count);
	json_key_unsigned(json, "nr_judged", nr_judged);
	json_key_unsigned(json, "nr_waiting", nr_waiting);
	json_key_unsigned(json, "nr_older", windows->all.count - nr_judged - nr_waiting);
	json_key_unsigned(json, "nr_strange", windows->nr_strange);
	json_key_unsigned(json, "nr_beyond", windows->nr_beyond);
}

/* What follows '?' may hold a signature. */
static void tell_place(struct json *json, const char *place)
{
	struct text name = {0};

	text_append(&name, place, objects_is_remote(place) ? strcspn(place, "?") : strlen(place));
	tell_text(json, "place", text_peek(&name));
	text_fini(&name);
}

void fleet_tell(struct fleet *fleet, struct json *json)
{
	pthread_mutex_lock(&fleet->lock);
	json_open(json, '{');
	tell_place(json, fleet->place);
	tell_counts(json, &fleet->windows);
	json_key_bool(json, "is_listed", fleet->is_listed);
	tell_text(json, "trouble", fleet->trouble.status ? fleet->trouble.text : NULL);
	json_key(json, "services");
	tell_services(json, &fleet->windows);
	json_close(json, '}');
	pthread_mutex_unlock(&fleet->lock);
}

bool fleet_has(struct fleet *fleet, const char *trace)
{
	bool is_there = false;
	size_t i;

	pthread_mutex_lock(&fleet->lock);
	for (i = 0; i < fleet->windows.all.count && !is_there; i++)
		is_there = strcmp(fleet->windows.all.at[i]->trace, trace) == 0;
	pthread_mutex_unlock(&fleet->lock);
	return is_there;
}

/* ---------------------------------------------------------------- the beginning and the end */

enum ct_status fleet_open(
	const struct fleet_options *options, struct fleet **ret_fleet, struct ct_error *reterr)
{
	struct fleet *fleet = calloc(1, sizeof(*fleet));
	int failure;

	if (!fleet)
		return ct_fail_memory(reterr);
	fleet->options = *options;
	pthread_mutex_init(&fleet->lock, NULL);
	fleet->place = strdup(options->place);
	fleet->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	failure = !fleet->place     ? ENOMEM
		  : fleet->wake < 0 ? errno
				    : thread_start(&fleet->thread, work, fleet);
	fleet->has_thread = !failure;
	if (failure) {
		fleet_close(fleet);
		errno = failure;
		return ct_fail_errno(reterr, "starting to look for windows");
	}
	*ret_fleet = fleet;
	return CT_OK;
}

void fleet_close(struct fleet *fleet)
{
	if (!fleet)
		return;
	if (fleet->has_thread) {
		eventfd_write(fleet->wake, 1);
		pthread_join(fleet->thread, NULL);
	}
	if (fleet->wake >= 0)
		close(fleet->wake);
	fleet_windows_fini(&fleet->windows);
	pthread_mutex_destroy(&fleet->lock);
	free(fleet->place);
	free(fleet);
}
