/* SPDX-License-Identifier: MIT */
/*
 * The small phrases of which reports are made.
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "say/safe.h"
#include "say/say.h"

#define NOT_KNOWN "not known"
#define CALLERS_SHOWN 4u /* of the functions that a place was inlined into; JSON has all */

void say_time(struct text *text, ct_time time)
{
	uint64_t size = time < 0 ? -(uint64_t)time : (uint64_t)time;

	if (time == CT_NO_TIME) {
		text_add(text, NOT_KNOWN);
		return;
	}
	text_format(text, "%s%" PRIu64 ".%06" PRIu64 " s", time < 0 ? "-" : "", size / 1000000000u,
		size % 1000000000u / 1000u);
}

void say_wall_clock(struct text *text, const struct ct_tables *tables, ct_time time)
{
	int64_t instant;
	time_t seconds;
	struct tm fields;
	char date[40];

	if (time == CT_NO_TIME || tables->epoch_realtime_ns <= 0 ||
		__builtin_add_overflow(tables->epoch_realtime_ns, time, &instant) || instant < 0) {
		text_add(text, NOT_KNOWN);
		return;
	}
	seconds = (time_t)(instant / 1000000000);
	if (!gmtime_r(&seconds, &fields) ||
		!strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &fields)) {
		text_add(text, NOT_KNOWN);
		return;
	}
	text_add(text, date);
}

void say_span(struct text *text, ct_time from, ct_time until)
{
	int64_t span;

	if (from == CT_NO_TIME || until == CT_NO_TIME ||
		__builtin_sub_overflow(until, from, &span)) {
		text_add(text, NOT_KNOWN);
		return;
	}
	text_duration(text, span);
}

void say_file(struct text *text, const char *path)
{
	const char *from = path + strlen(path);
	unsigned nr_parts = 0;

	while (from > path && nr_parts < 3) {
		from--;
		while (from > path && from[-1] != '/')
			from--;
		nr_parts++;
		/* Steps upwards at the front say nothing to a reader. */
		if (from >= path + 3 && strncmp(from - 3, "../", 3) == 0)
			break;
		if (from == path + 2 && strncmp(path, "./", 2) == 0)
			break;
		if (from > path && nr_parts < 3)
			from--;
	}
	while (*from == '/' && from[1])
		from++;
	say_safe(text, *from ? from : NOT_KNOWN);
}

const struct ct_site *say_peek_site(const struct ct_tables *tables, uint32_t site)
{
	static const struct ct_site none = {
		.file = "", .function = "", .reason = "", .module = "", .callers = ""};

	return site && site < tables->nr_sites ? &tables->sites[site] : &none;
}

void say_line(struct text *text, const struct ct_tables *tables, uint32_t index)
{
	const struct ct_site *site = say_peek_site(tables, index);

	if (*site->file) {
		say_file(text, site->file);
		if (site->line)
			text_format(text, ":%" PRIu32, site->line);
	} else if (*site->module) {
		say_file(text, site->module);
		text_format(text, "+0x%" PRIx64, site->module_offset);
	} else if (site->address) {
		text_format(text, "address 0x%" PRIx64, site->address);
	} else if (*site->reason) {
		say_name(text, site->reason);
	} else {
		text_add(text, index ? "a place not known" : NOT_KNOWN);
	}
}

void say_short_line(struct text *text, const struct ct_tables *tables, uint32_t index)
{
	const struct ct_site *site = say_peek_site(tables, index);
	const char *slash = strrchr(site->file, '/');

	if (!slash || !slash[1]) {
		say_line(text, tables, index);
		return;
	}
	say_safe(text, slash + 1);
	if (site->line)
		text_format(text, ":%" PRIu32, site->line);
}

/* A part of a text, which has no end of its own. */
static void say_part(struct text *text, void (*phrase)(struct text *text, const char *part),
	const char *from, size_t nr_bytes)
{
	struct text part = {0};

	text_append(&part, from, nr_bytes);
	phrase(text, text_peek(&part));
	text->is_broken = text->is_broken || part.is_broken;
	text_fini(&part);
}

static void say_caller(struct text *text, const struct ct_caller *caller)
{
	text_add(text, ", inlined into ");
	say_part(text, say_function, caller->function, caller->function_bytes);
	if (!caller->file_bytes)
		return;
	text_add(text, " at ");
	say_part(text, say_file, caller->file, caller->file_bytes);
	if (caller->line)
		text_format(text, ":%" PRIu32, caller->line);
}

static void say_callers(struct text *text, const char *callers)
{
	struct ct_caller caller;
	unsigned depth = 0;

	while (ct_caller_next(&callers, &caller)) {
		if (depth++ < CALLERS_SHOWN)
			say_caller(text, &caller);
	}
	if (depth > CALLERS_SHOWN)
		text_format(text, ", and %u more", depth - CALLERS_SHOWN);
}

void say_place(struct text *text, const struct ct_tables *tables, uint32_t index)
{
	const struct ct_site *site = say_peek_site(tables, index);

	if (*site->function) {
		say_function(text, site->function);
		if (!*site->file && !*site->module && !site->address)
			return;
		text_add(text, ", ");
	}
	say_line(text, tables, index);
	say_callers(text, site->callers);
}

/* In C++ a reason is what is awaited; elsewhere it is a name that the program gave. */
static bool is_cpp(const char *file)
{
	static const char *const endings[] = {
		".cpp", ".cc", ".cxx", ".C", ".c++", ".hpp", ".hh", ".hxx", ".h", ".ipp", ".cppm"};
	size_t length = strlen(file), i;

	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t nr_bytes = strlen(endings[i]);

		if (length > nr_bytes && strcmp(file + length - nr_bytes, endings[i]) == 0)
			return true;
	}
	return false;
}

void say_wait(struct text *text, const struct ct_tables *tables, uint32_t index)
{
	const struct ct_site *site = say_peek_site(tables, index);

	if (!*site->reason) {
		say_place(text, tables, index);
		return;
	}
	if (is_cpp(site->file))
		text_add(text, "co_await ");
	say_name(text, site->reason);
	if (*site->function || *site->file || *site->module || site->address) {
		text_add(text, *site->function ? " in " : " at ");
		say_place(text, tables, index);
	}
}

void say_site_function(struct text *text, const struct ct_tables *tables, uint32_t index)
{
	const struct ct_site *site = say_peek_site(tables, index);

	if (*site->function)
		say_function(text, site->function);
	else
		say_line(text, tables, index);
}

void say_thread(struct text *text, const struct ct_tables *tables, uint32_t index)
{
	const struct ct_thread *thread;

	if (index == 0 || index >= tables->nr_threads) {
		text_add(text, "a thread not known");
		return;
	}
	thread = &tables->threads[index];
	if (*thread->name) {
		say_safe(text, thread->name);
		text_format(text, " (%" PRIu64 ")", thread->tid);
	} else {
		text_format(text, "thread %" PRIu64, thread->tid);
	}
}

void say_in_graph(struct text *text, const struct ct_tables *tables, const struct ct_await *await)
{
	text_format(text, "coroutine %" PRIu64, await->id);
	switch (await->state) {
	case CT_STATE_WAITING:
		text_add(text, " waits for ");
		say_safe(text, await->resource);
		if (!await->site)
			return;
		text_add(text, ", at ");
		say_place(text, tables, await->site);
		return;
	case CT_STATE_RUNNING:
		text_add(text, " runs on ");
		say_thread(text, tables, await->thread);
		return;
	default:
		text_format(text, " is %s", ct_state_name(await->state));
		return;
	}
}

void say_program(struct text *text, const struct ct_process *process)
{
	const char *slash = strrchr(process->program, '/');

	say_safe(text, slash && slash[1]   ? slash + 1
		       : *process->program ? process->program
					   : "a program not known");
	if (process->pid)
		text_format(text, " (pid %" PRIu64 ")", process->pid);
}

void say_signal(struct text *text, int number)
{
	const char *name = sigabbrev_np(number);

	if (name)
		text_format(text, "SIG%s", name);
	else
		text_format(text, "signal %d", number);
}

const char *say_ending_name(enum ct_ending ending)
{
	switch (ending) {
	case CT_ENDING_EXITED:
		return "exited";
	case CT_ENDING_SIGNALED:
		return "signaled";
	case CT_ENDING_DETACHED:
		return "detached";
	case CT_ENDING_UNKNOWN:
		break;
	}
	return "unknown";
}

void say_ending(struct text *text, const struct ct_process *process)
{
	switch (process->ending) {
	case CT_ENDING_EXITED:
		text_format(text, "ended by itself with exit status %d", process->ending_value);
		return;
	case CT_ENDING_SIGNALED:
		text_add(text, "ended by ");
		say_signal(text, process->ending_value);
		if (process->was_killed_by_engine_user)
			text_add(text, ", which its user sent");
		return;
	case CT_ENDING_DETACHED:
		text_add(text, "still running when observation ended");
		return;
	case CT_ENDING_UNKNOWN:
		break;
	}
	text_add(text, "the trace does not say how it ended");
}

static void say_descriptor(struct text *text, uint64_t identity)
{
	text_format(text, "descriptor %" PRIu32, (uint32_t)identity);
	if (identity >> 32)
		text_format(text, " (generation %" PRIu64 ")", identity >> 32);
}

void say_resource(struct text *text, uint64_t handle)
{
	unsigned resource = CTP_HANDLE_RESOURCE(handle);
	uint64_t identity = CTP_HANDLE_IDENTITY(handle);

	switch (resource) {
	case CTP_RESOURCE_NONE:
		text_add(text, "something not told");
		return;
	case CTP_RESOURCE_DESCRIPTOR:
		say_descriptor(text, identity);
		return;
	case CTP_RESOURCE_REMOTE:
		text_format(text, "coroutine %" PRIu64 " of process %" PRIu64,
			CTP_REMOTE_CORO(handle), CTP_REMOTE_PID(handle));
		return;
	case CTP_RESOURCE_TIMER:
	case CTP_RESOURCE_COROUTINE:
	case CTP_RESOURCE_QUEUE:
	case CTP_RESOURCE_PROCESS:
		text_format(text, "%s %" PRIu64, ct_resource_name(resource), identity);
		return;
	default:
		text_format(text, "%s 0x%" PRIx64, ct_resource_name(resource), identity);
	}
}

void say_count(struct text *text, uint64_t count, const char *one, const char *many)
{
	text_count(text, count);
	text_format(text, " %s", count == 1 ? one : many);
}

void say_mean(struct text *text, double mean)
{
	if (mean <= 0)
		text_char(text, '0');
	else if (mean < 0.0005)
		text_add(text, "< 0.001");
	else if (mean < 999.5)
		text_format(text, "%.*f",
			mean < 0.0995  ? 3
			: mean < 9.995 ? 2
			: mean < 99.95 ? 1
				       : 0,
			mean);
	else
		text_count(text, (uint64_t)(mean + 0.5));
}
