/* SPDX-License-Identifier: MIT */
/*
 * Namesakes (namesakes.h).
 */
#include <string.h>

#include "rules/namesakes.h"
#include "rules/parts.h"

static const char *name_of(const struct analysis *analysis, uint32_t thread)
{
	return analysis->tables->threads[thread].name;
}

/* Has the thread a name of its own? A thread without one has the name of its program. */
bool rules_namesakes_are_named(const struct analysis *analysis, uint32_t thread)
{
	const struct ct_tables *tables = analysis->tables;
	uint32_t process = tables->threads[thread].process, i;

	for (i = 1; i < tables->nr_threads; i++)
		if (tables->threads[i].process == process &&
			tables->threads[i].tid == tables->processes[process].pid)
			return strcmp(name_of(analysis, i), name_of(analysis, thread)) != 0;
	return false;
}

#define COUNTER_OF_WORKERS " workers" /* appended to the threads' name */

/* How many threads of this name run coroutines at once, according to a counter of the program; 0: no counter says. */
static int64_t told_workers(const struct analysis *analysis, uint32_t thread)
{
	const char *name = name_of(analysis, thread);
	size_t length = strlen(name), i;

	for (i = 1; i < analysis->model->spans.count; i++) {
		const struct model_span *span = &analysis->model->spans.at[i];

		if (span->kind == CTP_KIND_COUNTER &&
			span->process == analysis->tables->threads[thread].process &&
			!strncmp(span->name, name, length) &&
			!strcmp(span->name + length, COUNTER_OF_WORKERS))
			return span->last;
	}
	return 0;
}

struct namesakes rules_namesakes_of(const struct analysis *analysis, uint32_t thread, ct_time since)
{
	const struct ct_tables *tables = analysis->tables;
	struct namesakes namesakes = {0};
	uint32_t i;

	for (i = 1; i < tables->nr_threads; i++) {
		const struct model_thread *at = &analysis->model->threads[i];

		if (at->process != tables->threads[thread].process ||
			strcmp(name_of(analysis, i), name_of(analysis, thread)) != 0)
			continue;
		if (!at->is_worker && at->idle_began == CT_NO_TIME)
			continue;
		namesakes.nr_working++;
		namesakes.have_served |= rules_blocked_worker_has_served(analysis, i);
		namesakes.has_newcomer |= tables->threads[i].started > since;
	}
	return namesakes;
}

bool rules_namesakes_have_replaced(const struct analysis *analysis, uint32_t thread)
{
	int64_t nr_workers = told_workers(analysis, thread);

	return nr_workers &&
	       rules_namesakes_of(analysis, thread, CT_NO_TIME).nr_working > nr_workers;
}

bool rules_namesakes_may_have_replaced(
	const struct analysis *analysis, uint32_t thread, ct_time since)
{
	return !told_workers(analysis, thread) &&
	       rules_namesakes_of(analysis, thread, since).has_newcomer;
}
