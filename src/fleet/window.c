/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fleet/window.h"
#include "objects/whole.h"

#define NR_PARTS 4u /* of a key */

/* ---------------------------------------------------------------- a key */

/* Finds where the last parts of a name begin; false: there are fewer. */
static bool find_parts(const char *trace, size_t length, const char *ret_parts[NR_PARTS])
{
	size_t at = length, found = NR_PARTS;

	while (at > 0 && found > 0)
		if (trace[--at] == '/')
			ret_parts[--found] = trace + at + 1;
	if (found == 1)
		ret_parts[--found] = trace;
	return found == 0;
}

static bool read_digits(const char *text, int count, int *ret_number)
{
	int i;

	*ret_number = 0;
	for (i = 0; i < count; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		*ret_number = *ret_number * 10 + text[i] - '0';
	}
	return true;
}

/* YYYYMMDD/HHMMSS-; a moment that no calendar has is none. */
static bool read_moment(const char *day, const char *time, int64_t *ret_began)
{
	struct tm moment = {0}, asked;
	bool is_read =
		read_digits(day, 4, &moment.tm_year) && read_digits(day + 4, 2, &moment.tm_mon) &&
		read_digits(day + 6, 2, &moment.tm_mday) && day[8] == '/' &&
		read_digits(time, 2, &moment.tm_hour) && read_digits(time + 2, 2, &moment.tm_min) &&
		read_digits(time + 4, 2, &moment.tm_sec) && time[6] == '-';

	if (!is_read)
		return false;
	moment.tm_year -= 1900;
	moment.tm_mon--;
	asked = moment;
	*ret_began = timegm(&moment);
	return asked.tm_mon == moment.tm_mon && asked.tm_mday == moment.tm_mday &&
	       asked.tm_hour == moment.tm_hour && asked.tm_min == moment.tm_min;
}

struct window *fleet_window_new(const char *trace)
{
	size_t length = objects_is_remote(trace) ? strcspn(trace, "?") : strlen(trace);
	const char *parts[NR_PARTS];
	struct window *window;
	int64_t began;

	if (!find_parts(trace, length, parts) || !read_moment(parts[2], parts[3], &began))
		return NULL;
	window = calloc(1, sizeof(*window));
	if (!window)
		return NULL;
	window->began = began;
	window->trace = strdup(trace);
	window->service = strndup(parts[0], (size_t)(parts[1] - parts[0]) - 1);
	window->host = strndup(parts[1], (size_t)(parts[2] - parts[1]) - 1);
	if (window->trace && window->service && window->host)
		return window;
	fleet_window_free(window);
	return NULL;
}

void fleet_window_free(struct window *window)
{
	free(window->trace);
	free(window->service);
	free(window->host);
	free(window->words);
	free(window);
}

/* ---------------------------------------------------------------- the list */

static int compare(const void *left, const void *right)
{
	const struct window *one = *(struct window *const *)left;
	const struct window *other = *(struct window *const *)right;
	int order = strcmp(one->service, other->service);

	if (order)
		return order;
	if (one->began != other->began)
		return one->began > other->began ? -1 : 1;
	return strcmp(one->trace, other->trace);
}

static void sort(struct windows *windows)
{
	uint32_t age = 0;
	size_t i;

	if (windows->all.count)
		qsort(windows->all.at, windows->all.count, sizeof(*windows->all.at), compare);
	for (i = 0; i < windows->all.count; i++) {
		struct window *window = windows->all.at[i];
		bool is_first = !i || strcmp(windows->all.at[i - 1]->service, window->service) != 0;

		age = is_first ? 0 : age + 1;
		window->age = age;
	}
}

/* The known window takes the place of the one that was only listed. */
static void keep_known(struct windows *fresh, struct window **known)
{
	struct window **found = fresh->all.count ? bsearch(known, fresh->all.at, fresh->all.count,
							   sizeof(*fresh->all.at), compare)
						 : NULL;
	struct window *listed;

	if (!found)
		return;
	listed = *found;
	(*known)->age = listed->age;
	*found = *known;
	*known = listed;
}

void fleet_windows_take(struct windows *windows, struct windows *fresh)
{
	size_t i;

	sort(fresh);
	for (i = 0; i < windows->all.count; i++)
		keep_known(fresh, &windows->all.at[i]);
	fleet_windows_fini(windows);
	*windows = *fresh;
	*fresh = (struct windows){0};
}

void fleet_windows_fini(struct windows *windows)
{
	size_t i;

	for (i = 0; i < windows->all.count; i++)
		fleet_window_free(windows->all.at[i]);
	vec_fini(&windows->all);
}

static bool is_before(const struct window *one, const struct window *other)
{
	return one->age != other->age ? one->age < other->age : one->began > other->began;
}

struct window *fleet_windows_next(const struct windows *windows)
{
	struct window *next = NULL;
	uint32_t nr_done = 0;
	size_t i;

	for (i = 0; i < windows->all.count; i++) {
		struct window *window = windows->all.at[i];

		nr_done += window->state != WINDOW_WAITS;
		if (window->state == WINDOW_WAITS && window->age < FLEET_JUDGED_OF_SERVICE &&
			(!next || is_before(window, next)))
			next = window;
	}
	return nr_done < FLEET_JUDGED_MAX ? next : NULL;
}

/* ---------------------------------------------------------------- a judgement */

static void note_report(struct window *window, const struct ct_report *report)
{
	const struct ct_distribution *delays = &report->statistics.delays;

	window->nr_events = report->quality.nr_events;
	window->nr_lost = report->quality.nr_lost;
	window->delay_p99_ns = delays->count ? delays->p99_ns : -1;
	window->nr_findings = report->nr_findings;
	if (!report->nr_findings)
		return;
	window->grade = report->findings[0].grade;
	window->words = strdup(report->findings[0].title);
}

static enum ct_status judge_file(struct window *window, const char *path,
	const struct fleet_options *options, struct ct_error *reterr)
{
	const struct ct_open_options opening = {
		.size = sizeof(opening), .no_symbols = true, .memory_bytes = options->memory_bytes};
	const struct ct_analyze_options judging = {
		.size = sizeof(judging), .thresholds = options->thresholds};
	const struct ct_report *report;
	struct ct_trace *trace;
	enum ct_status status = ct_trace_open(path, &opening, &trace, reterr);

	if (status)
		return status;
	status = ct_analyze(trace, &judging, &report, reterr);
	if (status == CT_OK) {
		note_report(window, report);
		ct_report_free(report);
	}
	ct_trace_close(trace);
	return status;
}

static enum ct_status judge_address(struct window *window, const struct fleet_options *options,
	int wake_descriptor, struct ct_error *reterr)
{
	enum ct_status status;
	char path[48];
	int file = objects_open_address(window->trace, wake_descriptor, &status, reterr);

	if (status)
		return status;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	status = judge_file(window, path, options, reterr);
	close(file);
	return status;
}

bool fleet_window_judge(
	struct window *window, const struct fleet_options *options, int wake_descriptor)
{
	struct ct_error error;
	enum ct_status status = objects_is_remote(window->trace)
					? judge_address(window, options, wake_descriptor, &error)
					: judge_file(window, window->trace, options, &error);

	if (status == CT_ERR_STOPPED)
		return false;
	window->state = status ? WINDOW_FAILED : WINDOW_JUDGED;
	if (status)
		window->words = strdup(error.text);
	return true;
}
