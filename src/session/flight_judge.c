/* SPDX-License-Identifier: MIT */
/*
 * A thread for each judgement. While the thread works, only it uses the copy and the grades; one flag says that it is
 * done.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "session/flight_judge.h"
#include "store/window.h"

#define PAUSE_NS UINT64_C(2000000000)
#define SHARE 20u /* judging takes one part in so many of the time */
#define NICE 10   /* lower priority than the traced program */

struct flight_judge {
	const struct ct_thresholds *thresholds;
	int copy; /* the copy that is judged; -1: none */
	pthread_t thread;
	atomic_bool is_done;
	bool was_judged;
	enum ct_grade grades[CT_NR_RULES];
	uint64_t begun_ns;
	uint64_t due_ns;
};

struct flight_judge *flight_judge_new(const struct ct_thresholds *thresholds)
{
	struct flight_judge *judge = calloc(1, sizeof(*judge));

	if (!judge)
		return NULL;
	judge->thresholds = thresholds;
	judge->copy = -1;
	return judge;
}

/* ---------------------------------------------------------------- the thread */

static void note_findings(struct flight_judge *judge, const struct ct_report *report)
{
	uint32_t i;

	memset(judge->grades, 0, sizeof(judge->grades));
	for (i = 0; i < report->nr_findings; i++) {
		const struct ct_finding *finding = &report->findings[i];

		if (finding->grade > judge->grades[finding->rule])
			judge->grades[finding->rule] = finding->grade;
	}
	judge->was_judged = true;
}

/* A window that cannot be judged now may be judged the next time. */
static void *judge_copy(void *argument)
{
	struct flight_judge *judge = argument;
	struct ct_open_options opening = {.size = sizeof(opening), .no_symbols = true};
	struct ct_analyze_options judging = {
		.size = sizeof(judging), .thresholds = judge->thresholds};
	const struct ct_report *report;
	struct ct_trace *trace;
	char path[64];

	setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", judge->copy);
	if (ct_trace_open(path, &opening, &trace, NULL) == CT_OK) {
		if (ct_analyze(trace, &judging, &report, NULL) == CT_OK) {
			note_findings(judge, report);
			ct_report_free(report);
		}
		ct_trace_close(trace);
	}
	atomic_store_explicit(&judge->is_done, true, memory_order_release);
	return NULL;
}

/* ---------------------------------------------------------------- functions for other threads */

static void start(struct flight_judge *judge, struct ct_sink *window, uint64_t now_ns)
{
	judge->due_ns = now_ns + PAUSE_NS;
	judge->begun_ns = now_ns;
	judge->was_judged = false;
	atomic_store_explicit(&judge->is_done, false, memory_order_relaxed);
	judge->copy = memfd_create("corotracer-window", MFD_CLOEXEC);
	if (judge->copy < 0)
		return;
	if (store_window_copy(window, judge->copy, now_ns, NULL) == CT_OK &&
		thread_start(&judge->thread, judge_copy, judge) == 0)
		return;
	close(judge->copy);
	judge->copy = -1;
}

static void end(struct flight_judge *judge)
{
	pthread_join(judge->thread, NULL);
	close(judge->copy);
	judge->copy = -1;
}

bool flight_judge_look(struct flight_judge *judge, struct ct_sink *window, uint64_t now_ns,
	enum ct_grade ret_grades[CT_NR_RULES])
{
	uint64_t took_ns;

	if (judge->copy < 0) {
		if (now_ns >= judge->due_ns)
			start(judge, window, now_ns);
		return false;
	}
	if (!atomic_load_explicit(&judge->is_done, memory_order_acquire))
		return false;
	end(judge);
	took_ns = clock_monotonic_ns() - judge->begun_ns;
	if (now_ns + took_ns * SHARE > judge->due_ns)
		judge->due_ns = now_ns + took_ns * SHARE;
	if (judge->was_judged)
		memcpy(ret_grades, judge->grades, sizeof(judge->grades));
	return judge->was_judged;
}

/* Truncates the copy: a file that shrinks while it is read ends the judgement. */
void flight_judge_free(struct flight_judge *judge)
{
	if (!judge)
		return;
	if (judge->copy >= 0) {
		(void)!ftruncate(judge->copy, 0);
		end(judge);
	}
	free(judge);
}
