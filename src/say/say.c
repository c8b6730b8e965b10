/* SPDX-License-Identifier: MIT */
/*
 * Names of coroutines, threads, processes and resources; and times.
 */
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "say/safe.h"
#include "say/say.h"

void say_time(struct text *text, ct_time time)
{
	uint64_t size = time < 0 ? -(uint64_t)time : (uint64_t)time;

	if (time == CT_NO_TIME) {
		text_add(text, SAY_NOT_KNOWN);
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
		text_add(text, SAY_NOT_KNOWN);
		return;
	}
	seconds = (time_t)(instant / 1000000000);
	if (!gmtime_r(&seconds, &fields) ||
		!strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &fields)) {
		text_add(text, SAY_NOT_KNOWN);
		return;
	}
	text_add(text, date);
}

void say_span(struct text *text, ct_time from, ct_time until)
{
	int64_t span;

	if (from == CT_NO_TIME || until == CT_NO_TIME ||
		__builtin_sub_overflow(until, from, &span)) {
		text_add(text, SAY_NOT_KNOWN);
		return;
	}
	text_duration(text, span);
}

bool say_lacks_its_end(const struct ct_tables *tables)
{
	return !tables->is_complete && !tables->has_no_end && !tables->goes_on;
}

const char *say_end(const struct ct_tables *tables)
{
	if (tables->has_no_end)
		return "of a form that records no end of observation";
	if (tables->goes_on)
		return "goes on";
	return tables->is_complete ? "recorded to the end" : "cut short: its end is missing";
}

void say_coroutine(struct text *text, const struct ct_tables *tables, uint64_t id, const char *name,
	uint32_t function_site)
{
	bool has_name = name && *name;

	text_format(text, "coroutine %" PRIu64, id);
	if (!has_name && !function_site)
		return;
	text_add(text, " (");
	if (has_name)
		say_name(text, name);
	else
		say_site_function(text, tables, function_site);
	text_char(text, ')');
}

static void name_thread(struct text *text, const char *name, uint64_t tid)
{
	say_safe(text, name);
	text_format(text, *name ? " (%" PRIu64 ")" : "%" PRIu64, tid);
}

void say_thread_name(struct text *text, const struct ct_tables *tables, uint32_t index)
{
	const struct ct_thread *thread;

	if (index == 0 || index >= tables->nr_threads) {
		text_add(text, SAY_NOT_KNOWN);
		return;
	}
	thread = &tables->threads[index];
	name_thread(text, thread->name, thread->tid);
}

void say_thread_of(struct text *text, const char *name, uint64_t tid)
{
	text_add(text, "thread ");
	name_thread(text, name, tid);
}

void say_thread(struct text *text, const struct ct_tables *tables, uint32_t index)
{
	if (index == 0 || index >= tables->nr_threads) {
		text_add(text, "a thread not known");
		return;
	}
	text_add(text, "thread ");
	say_thread_name(text, tables, index);
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

void say_descriptor(struct text *text, uint32_t fd, unsigned type, uint64_t generation)
{
	const char *name = type ? ct_descriptor_type_name(type) : "";

	text_format(text, "descriptor %" PRIu32, fd);
	if (generation)
		text_format(
			text, " (%s%sgeneration %" PRIu64 ")", name, *name ? ", " : "", generation);
	else if (*name)
		text_format(text, " (%s)", name);
}

/* A resource of this kind whose identity is not recorded (P-104). */
static void say_any(struct text *text, unsigned resource)
{
	if (resource == CTP_RESOURCE_NETWORK)
		text_add(text, "the network");
	else
		text_format(text, resource == CTP_RESOURCE_EVENT ? "an %s" : "a %s",
			ct_resource_name(resource));
}

void say_resource(struct text *text, uint64_t handle)
{
	unsigned resource = CTP_HANDLE_RESOURCE(handle);
	uint64_t identity = CTP_HANDLE_IDENTITY(handle);

	switch (resource) {
	case CTP_RESOURCE_NONE:
		text_add(text, "something not recorded");
		return;
	case CTP_RESOURCE_DESCRIPTOR:
		say_descriptor(text, (uint32_t)identity, 0, identity >> 32);
		return;
	case CTP_RESOURCE_REMOTE:
		text_format(text, "coroutine %" PRIu64 " of process %" PRIu64,
			CTP_REMOTE_CORO(handle), CTP_REMOTE_PID(handle));
		return;
	case CTP_RESOURCE_TIMER:
	case CTP_RESOURCE_COROUTINE:
	case CTP_RESOURCE_QUEUE:
	case CTP_RESOURCE_PROCESS:
	case CTP_RESOURCE_PROCESSOR:
		text_format(text, "%s %" PRIu64, ct_resource_name(resource), identity);
		return;
	case CTP_RESOURCE_LOCK:
	case CTP_RESOURCE_CONDITION:
	case CTP_RESOURCE_CHANNEL:
	case CTP_RESOURCE_SEMAPHORE:
	case CTP_RESOURCE_EVENT:
	case CTP_RESOURCE_NETWORK:
		if (!identity) {
			say_any(text, resource);
			return;
		}
		__attribute__((fallthrough));
	default:
		text_format(text, "%s 0x%" PRIx64, ct_resource_name(resource), identity);
	}
}

void say_readiness(struct text *text, unsigned flags)
{
	static const struct {
		unsigned flag;
		const char *word;
	} words[] = {{POLLIN, " readable"}, {POLLOUT, " writable"}, {POLLRDHUP, " half-closed"},
		{POLLHUP, " hung-up"}, {POLLERR, " failed"}};
	size_t i;

	flags &= SAY_READINESS;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		text_add(text, flags & words[i].flag ? words[i].word : "");
		flags &= ~words[i].flag;
	}
	if (flags)
		text_format(text, " 0x%x", flags);
}

void say_count(struct text *text, uint64_t count, const char *one, const char *many)
{
	text_count(text, count);
	text_format(text, " %s", count == 1 ? one : many);
}

void say_standing_count(struct text *text, enum ct_standing_kind kind, uint64_t count)
{
	if (kind == CT_STANDING_EVENTS) {
		say_count(text, count, "event", "events");
		return;
	}
	text_count(text, count);
	text_add(text, kind == CT_STANDING_LOST ? " lost" : " left out as asked");
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
