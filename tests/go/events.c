/* SPDX-License-Identifier: MIT */
/*
 * events FILE: prints all events of a Go trace, one on each line, in the same words as tests/go/oracle; on failure the
 * last line is the error, and the exit status is 1. `events --count FILE` only prints their number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gotrace/gotrace.h"

#define ROOM_EVENTS 256

static const char *const states[] = {
	"Undetermined", "NotExist", "Runnable", "Running", "Waiting", "Syscall", "Idle"};
static const char *const ranges[] = {[GOTRACE_GC_MARK] = "GC concurrent mark phase",
	[GOTRACE_GC_SWEEP] = "GC incremental sweep",
	[GOTRACE_MARK_ASSIST] = "GC mark assist",
	[GOTRACE_STOPPED_WORLD] = "stop-the-world"};
static const char *const metrics[] = {[GOTRACE_NR_PROCS] = "/sched/gomaxprocs:threads",
	[GOTRACE_HEAP_BYTES] = "/memory/classes/heap/objects:bytes",
	[GOTRACE_HEAP_GOAL_BYTES] = "/gc/heap/goal:bytes"};

static struct gotrace_reader *reader;

static void print_text(const char *key, const char *text, size_t nr_bytes)
{
	size_t i;

	printf(" %s=\"", key);
	for (i = 0; i < nr_bytes; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c <= ' ' || c > '~' || c == '"' || c == '\\')
			printf("\\x%02x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void print_name(const char *key, uint32_t name)
{
	size_t nr_bytes;
	const char *text = gotrace_reader_name(reader, name, &nr_bytes);

	print_text(key, text, nr_bytes);
}

static void print_string(const char *key, uint64_t string)
{
	const struct gotrace_string *found =
		&gotrace_reader_generation(reader)->tables.strings.at[string];

	print_text(key, found->at, found->nr_bytes);
}

static void print_stack(const char *key, uint32_t index)
{
	const struct gotrace_tables *tables = &gotrace_reader_generation(reader)->tables;
	const struct gotrace_stack *stack = &tables->stacks.at[index];
	uint32_t i;

	if (!index)
		return;
	printf(" %s", key);
	for (i = 0; i < stack->nr_frames; i++) {
		const struct gotrace_frame *frame =
			&tables->frames.at[tables->stack_frames.at[stack->first + i]];

		print_string(i ? "|" : ":", frame->function);
		print_string("file", frame->file);
		printf(" %llu %llx", (unsigned long long)frame->line,
			(unsigned long long)frame->address);
	}
}

static void print_move(const struct gotrace_event *event)
{
	printf(" %s %lld %s->%s", event->kind == GOTRACE_KIND_PROC ? "Proc" : "Goroutine",
		(long long)event->resource, states[event->from], states[event->to]);
	print_name("reason", event->name);
	print_stack("resource", event->resource_stack);
}

static void print_range(const struct gotrace_event *event)
{
	static const char *const kinds[] = {"RangeBegin", "RangeActive", "RangeEnd"};

	printf(" %s", kinds[event->kind - GOTRACE_KIND_RANGE_BEGIN]);
	print_text("name", ranges[event->subject], strlen(ranges[event->subject]));
	if (event->subject == GOTRACE_STOPPED_WORLD)
		print_name("for", event->name);
	if (event->subject == GOTRACE_GC_SWEEP && event->kind == GOTRACE_KIND_RANGE_END)
		printf(" %llu %llu", (unsigned long long)event->values[0],
			(unsigned long long)event->values[1]);
	if (event->subject != GOTRACE_GC_MARK)
		printf(" of %lld", (long long)event->resource);
}

static void print_user(const struct gotrace_event *event)
{
	static const char *const kinds[] = {
		"TaskBegin", "TaskEnd", "RegionBegin", "RegionEnd", "Log"};

	printf(" %s", kinds[event->kind - GOTRACE_KIND_TASK_BEGIN]);
	if (event->kind <= GOTRACE_KIND_TASK_END)
		printf(" task=%lld parent=%lld", (long long)event->resource,
			(long long)event->values[0]);
	else
		printf(" task=%lld", (long long)event->values[0]);
	print_name("name", event->name);
	if (event->kind == GOTRACE_KIND_LOG)
		print_string("message", event->message);
}

static void print_sync(const struct gotrace_event *event)
{
	const struct gotrace_snapshot *snapshot = &gotrace_reader_generation(reader)->snapshot;

	printf(" Sync %llu", (unsigned long long)event->values[0]);
	if (event->values[1])
		printf(" %lld %llu %llu", (long long)snapshot->time,
			(unsigned long long)snapshot->monotonic_ns,
			(unsigned long long)snapshot->realtime_s * 1000000000u +
				snapshot->realtime_ns);
}

static void print_event(const struct gotrace_event *event)
{
	printf("%lld M=%lld P=%lld G=%lld", (long long)event->time, (long long)event->thread,
		(long long)event->proc, (long long)event->goroutine);
	if (event->kind == GOTRACE_KIND_SYNC)
		print_sync(event);
	else if (event->kind == GOTRACE_KIND_GOROUTINE || event->kind == GOTRACE_KIND_PROC)
		print_move(event);
	else if (event->kind <= GOTRACE_KIND_RANGE_END)
		print_range(event);
	else if (event->kind == GOTRACE_KIND_METRIC)
		printf(" Metric %s %llu", metrics[event->subject],
			(unsigned long long)event->values[0]);
	else if (event->kind == GOTRACE_KIND_LABEL)
		print_name("Label", event->name);
	else if (event->kind <= GOTRACE_KIND_LOG)
		print_user(event);
	else
		printf(" %s", event->kind == GOTRACE_KIND_SAMPLE ? "Sample" : "Experimental");
	if (event->kind == GOTRACE_KIND_EXPERIMENTAL)
		printf(" %s", gotrace_type_name(event->type));
	print_stack("stack", event->stack);
	putchar('\n');
}

static enum ct_status print_events(uint64_t *ret_count, bool is_counting, struct ct_error *error)
{
	struct gotrace_event room[ROOM_EVENTS];
	enum ct_status status;
	size_t count, i;

	while ((status = gotrace_reader_next(reader, room, ROOM_EVENTS, &count, error)) == CT_OK) {
		*ret_count += count;
		for (i = 0; i < count && !is_counting; i++)
			print_event(&room[i]);
	}
	return status;
}

int main(int argc, char **argv)
{
	bool is_counting = argc == 3 && strcmp(argv[1], "--count") == 0;
	struct ct_error error = {0};
	enum ct_status status;
	struct input *input;
	uint64_t count = 0;

	if (argc < 2)
		return 2;
	status = input_open(argv[argc - 1], &input, &error);
	if (status == CT_OK)
		status = gotrace_reader_open(input, &reader, &error);
	if (status == CT_OK) {
		status = print_events(&count, is_counting, &error);
		gotrace_reader_close(reader);
		input_close(input);
	}
	if (is_counting)
		printf("%llu events\n", (unsigned long long)count);
	if (status != CT_END)
		printf("error: %s\n", error.text);
	return status == CT_END ? 0 : 1;
}
