/* SPDX-License-Identifier: MIT */
/*
 * One function for each kind of Go's events.
 */
#include "gotrace/mapping.h"

#define LIFE_SHIFT 44u  /* bits for the goroutine's id; the number of its life stands above them */
#define PROCS_MAX 4096u /* the most processors that can be reported as gone */
#define NR_PROCS_NAME "/sched/gomaxprocs:threads"
#define HEAP_NAME "/memory/classes/heap/objects:bytes"
#define HEAP_GOAL_NAME "/gc/heap/goal:bytes"

bool gotrace_mapping_init(struct gotrace_mapping *mapping)
{
	struct ct_process process = lists_no_process;

	*mapping = (struct gotrace_mapping){0};
	if (!gotrace_sites_init(&mapping->sites, &mapping->lists) || !lists_begin(&mapping->lists))
		return false;
	process.has_probe = true;
	process.attached = 0;
	process.program = "a Go program";
	return vec_push(&mapping->lists.processes, process);
}

void gotrace_mapping_restart(struct gotrace_mapping *mapping)
{
	gotrace_sites_restart(&mapping->sites);
	map_fini(&mapping->life_of);
	map_fini(&mapping->worker_of);
	map_fini(&mapping->nameless);
	map_fini(&mapping->proc_of);
	mapping->is_parked.count = mapping->procs.count = mapping->reasons.count = 0;
	mapping->events.count = mapping->carried.count = 0;
	mapping->nr_syncs = 0;
	mapping->has_start = false;
}

void gotrace_mapping_fini(struct gotrace_mapping *mapping)
{
	gotrace_sites_fini(&mapping->sites);
	lists_fini(&mapping->lists);
	map_fini(&mapping->thread_of);
	map_fini(&mapping->life_of);
	map_fini(&mapping->worker_of);
	map_fini(&mapping->nameless);
	map_fini(&mapping->proc_of);
	vec_fini(&mapping->is_parked);
	vec_fini(&mapping->procs);
	vec_fini(&mapping->reasons);
	vec_fini(&mapping->events);
	vec_fini(&mapping->carried);
}

/* ---------------------------------------------------------- ids and numbers */

static uint32_t find_thread(struct gotrace_mapping *mapping, uint64_t id)
{
	struct ct_thread thread = lists_no_thread;
	uint32_t index;

	if (map_get(&mapping->thread_of, id, &index))
		return index;
	index = (uint32_t)mapping->lists.threads.count;
	thread.process = 1;
	thread.tid = id;
	if (!map_put(&mapping->thread_of, id, index) || !vec_push(&mapping->lists.threads, thread))
		mapping->is_out_of_memory = true;
	return index;
}

/* Most events belong to the same thread as the event before. */
static inline uint32_t thread_of(struct gotrace_mapping *mapping, uint64_t id)
{
	if (id == GOTRACE_NONE)
		return 0;
	if (id != mapping->last_thread_id || !mapping->last_thread) {
		mapping->last_thread_id = id;
		mapping->last_thread = find_thread(mapping, id);
	}
	return mapping->last_thread;
}

/* Goroutine 0 does not belong to a program. */
static uint64_t coro_of(const struct gotrace_mapping *mapping, uint64_t goroutine)
{
	uint32_t life;

	if (goroutine == GOTRACE_NONE)
		return 0;
	if (mapping->life_of.count && map_get(&mapping->life_of, goroutine, &life))
		return goroutine | (uint64_t)(life - 1) << LIFE_SHIFT;
	return goroutine;
}

static uint64_t processor(uint64_t proc)
{
	return proc == GOTRACE_NONE ? 0 : CTP_HANDLE(CTP_RESOURCE_PROCESSOR, proc);
}

static uint32_t site_of(struct gotrace_mapping *mapping, uint32_t stack, uint32_t name)
{
	uint32_t site;

	if (!gotrace_sites_find(&mapping->sites, mapping->reader, stack, name, &site))
		mapping->is_out_of_memory = true;
	return site;
}

static const char *name_of(const struct gotrace_mapping *mapping, const struct gotrace_event *event)
{
	return gotrace_reader_name(mapping->reader, event->name, NULL);
}

/* ------------------------------------------------------------------ emission */

static inline void put(struct gotrace_mapping *mapping, const struct gotrace_event *from,
	unsigned kind, struct ct_event event)
{
	struct ct_event *at;

	if (!vec_reserve(&mapping->events, mapping->events.count + 1)) {
		mapping->is_out_of_memory = true;
		return;
	}
	at = &mapping->events.at[mapping->events.count++];
	*at = event;
	at->time = from->time - mapping->start;
	at->kind = (uint8_t)kind;
	at->process = 1;
	at->thread = thread_of(mapping, from->thread);
}

static void put_detail(struct gotrace_mapping *mapping, const struct gotrace_event *from,
	unsigned detail, uint64_t value)
{
	put(mapping, from, CTP_KIND_DETAIL,
		(struct ct_event){.object = value, .argument = (uint8_t)detail});
}

/* ---------------------------------------------------------------- goroutines */

static struct gotrace_reason reason_of(
	struct gotrace_mapping *mapping, const struct gotrace_event *event)
{
	if (!vec_reach(&mapping->reasons, event->name)) {
		mapping->is_out_of_memory = true;
		return (struct gotrace_reason){0};
	}
	if (!mapping->reasons.at[event->name].is_known)
		mapping->reasons.at[event->name] = gotrace_reason_read(name_of(mapping, event));
	return mapping->reasons.at[event->name];
}

static void mark_runtime(
	struct gotrace_mapping *mapping, const struct gotrace_event *event, uint64_t coro)
{
	put(mapping, event, CTP_KIND_MARK,
		(struct ct_event){.coro = coro, .argument = CTP_MARK_RUNTIME});
}

/* Puts the goroutine's first function, and marks the goroutine as the runtime's if the runtime started it. */
static bool tell_function(struct gotrace_mapping *mapping, const struct gotrace_event *event,
	uint32_t stack, uint64_t coro)
{
	uint32_t function;

	if (!gotrace_sites_function(&mapping->sites, mapping->reader, stack, &function))
		mapping->is_out_of_memory = true;
	if (!function)
		return false;
	put(mapping, event, CTP_KIND_FRAME, (struct ct_event){.coro = coro, .site = function});
	if (gotrace_sites_is_runtime(&mapping->sites, function))
		mark_runtime(mapping, event, coro);
	return true;
}

/* A marking worker of the garbage collector works until it stops: then its range ends. */
static void end_worker(struct gotrace_mapping *mapping, const struct gotrace_event *event)
{
	uint32_t range;

	if (!mapping->worker_of.count || !map_get(&mapping->worker_of, event->resource, &range))
		return;
	map_remove(&mapping->worker_of, event->resource);
	put(mapping, event, CTP_KIND_RANGE_END,
		(struct ct_event){.coro = event->resource, .argument = (uint8_t)range});
}

static void create(
	struct gotrace_mapping *mapping, const struct gotrace_event *event, uint64_t coro)
{
	put(mapping, event, CTP_KIND_CREATE,
		(struct ct_event){.coro = coro, .site = site_of(mapping, event->stack, 0)});
	tell_function(mapping, event, event->resource_stack, coro);
}

static void wake(struct gotrace_mapping *mapping, const struct gotrace_event *event, uint64_t coro)
{
	put(mapping, event, CTP_KIND_WAKE,
		(struct ct_event){.coro = coro_of(mapping, event->goroutine),
			.object = CTP_HANDLE(CTP_RESOURCE_COROUTINE, coro),
			.site = site_of(mapping, event->stack, 0)});
}

/* A thread of C has called into Go, so the id of the goroutine that serves the thread may have been used before. */
static uint64_t new_life(struct gotrace_mapping *mapping, uint64_t goroutine)
{
	uint32_t life = 0;

	map_get(&mapping->life_of, goroutine, &life);
	if (!map_put(&mapping->life_of, goroutine, life + 1))
		mapping->is_out_of_memory = true;
	return coro_of(mapping, goroutine);
}

static void come_to_be(struct gotrace_mapping *mapping, const struct gotrace_event *event)
{
	uint64_t coro = event->resource;

	if (event->to == GOTRACE_STATE_SYSCALL)
		coro = new_life(mapping, coro);
	create(mapping, event, coro);
	if (event->to == GOTRACE_STATE_RUNNABLE)
		wake(mapping, event, coro);
	if (event->to != GOTRACE_STATE_SYSCALL)
		return;
	put(mapping, event, CTP_KIND_RESUME, (struct ct_event){.coro = coro});
	put(mapping, event, CTP_KIND_SYSCALL_BEGIN, (struct ct_event){.coro = coro});
}

static void suspend(
	struct gotrace_mapping *mapping, const struct gotrace_event *event, uint64_t coro)
{
	struct ct_event suspend = {
		.coro = coro, .site = site_of(mapping, event->stack, event->name)};
	struct gotrace_reason reason = reason_of(mapping, event);

	if (event->to == GOTRACE_STATE_RUNNABLE)
		suspend.argument = CTP_POINT_PREEMPTED;
	else
		suspend.object = gotrace_reason_object(
			reason, gotrace_sites_resource(&mapping->sites, event->stack), coro);
	put(mapping, event, CTP_KIND_SUSPEND, suspend);
	if (event->to == GOTRACE_STATE_WAITING && reason.is_of_runtime)
		mark_runtime(mapping, event, coro);
}

static void end(struct gotrace_mapping *mapping, const struct gotrace_event *event, uint64_t coro)
{
	if (event->from == GOTRACE_STATE_SYSCALL)
		put(mapping, event, CTP_KIND_SYSCALL_END, (struct ct_event){.coro = coro});
	put(mapping, event, CTP_KIND_RETURN, (struct ct_event){.coro = coro});
	put(mapping, event, CTP_KIND_DESTROY, (struct ct_event){.coro = coro});
}

static void leave(struct gotrace_mapping *mapping, const struct gotrace_event *event, uint64_t coro)
{
	if (event->to == GOTRACE_STATE_NOT_EXIST) {
		end_worker(mapping, event);
		end(mapping, event, coro);
	} else if (event->from == GOTRACE_STATE_SYSCALL) {
		put(mapping, event, CTP_KIND_SYSCALL_END,
			(struct ct_event){.coro = coro,
				.flags = event->to == GOTRACE_STATE_RUNNABLE ? CTP_SYSCALL_READY
									     : 0});
	} else if (event->to == GOTRACE_STATE_SYSCALL) {
		put(mapping, event, CTP_KIND_SYSCALL_BEGIN,
			(struct ct_event){.coro = coro, .site = site_of(mapping, event->stack, 0)});
	} else {
		end_worker(mapping, event);
		suspend(mapping, event, coro);
	}
}

/* State from before the trace belongs at the trace's beginning, wherever the trace mentions it first. */
static void move_to_carried(struct gotrace_mapping *mapping, size_t first)
{
	size_t i;

	for (i = first; i < mapping->events.count; i++) {
		mapping->events.at[i].time = 0;
		if (!vec_push(&mapping->carried, mapping->events.at[i]))
			mapping->is_out_of_memory = true;
	}
	mapping->events.count = first;
}

static void carry_wait(struct gotrace_mapping *mapping, const struct gotrace_event *before,
	uint32_t stack, uint64_t coro)
{
	struct ct_event suspend = {.coro = coro};
	const char *reason;

	if (!gotrace_sites_waiting(&mapping->sites, mapping->reader, stack, &suspend.site, &reason))
		mapping->is_out_of_memory = true;
	suspend.object = gotrace_reason_object(
		gotrace_reason_read(reason), gotrace_sites_resource(&mapping->sites, stack), coro);
	put(mapping, before, CTP_KIND_SUSPEND, suspend);
}

static void carry(struct gotrace_mapping *mapping, const struct gotrace_event *event)
{
	size_t first = mapping->events.count;
	struct gotrace_event before = *event;
	uint64_t coro = coro_of(mapping, event->resource);

	before.stack = before.resource_stack = 0;
	if (event->to != GOTRACE_STATE_RUNNING && event->to != GOTRACE_STATE_SYSCALL)
		before.thread = GOTRACE_NONE;
	create(mapping, &before, coro);
	if (event->to == GOTRACE_STATE_RUNNABLE) {
		before.goroutine = GOTRACE_NONE;
		wake(mapping, &before, coro);
	} else if (event->to == GOTRACE_STATE_WAITING) {
		carry_wait(mapping, &before, event->stack, coro);
	} else {
		put(mapping, &before, CTP_KIND_RESUME, (struct ct_event){.coro = coro});
	}
	if (!tell_function(mapping, &before, event->stack, coro) &&
		!map_put(&mapping->nameless, event->resource, thread_of(mapping, before.thread)))
		mapping->is_out_of_memory = true;
	if (event->to == GOTRACE_STATE_SYSCALL)
		put(mapping, &before, CTP_KIND_SYSCALL_BEGIN,
			(struct ct_event){.coro = coro, .site = site_of(mapping, event->stack, 0)});
	move_to_carried(mapping, first);
}

/* Names a goroutine from before the trace, when its first stack is known. */
static void name(struct gotrace_mapping *mapping, const struct gotrace_event *event, uint64_t coro)
{
	size_t first = mapping->events.count;
	struct gotrace_event before = *event;
	uint32_t thread;
	size_t i;

	if (!event->stack || event->resource != event->goroutine ||
		!map_get(&mapping->nameless, event->resource, &thread))
		return;
	before.thread = GOTRACE_NONE;
	map_remove(&mapping->nameless, event->resource);
	tell_function(mapping, &before, event->stack, coro);
	/*
	 * A trace file keeps order only within a thread, so these events are put after the creation, on its thread.
	 */
	for (i = first; i < mapping->events.count; i++)
		mapping->events.at[i].thread = thread;
	move_to_carried(mapping, first);
}

static void apply_goroutine(struct gotrace_mapping *mapping, const struct gotrace_event *event)
{
	uint64_t coro = coro_of(mapping, event->resource);

	if (event->from == event->to)
		return;
	if (mapping->nameless.count)
		name(mapping, event, coro);
	if (event->from == GOTRACE_STATE_UNDETERMINED)
		carry(mapping, event);
	else if (event->from == GOTRACE_STATE_NOT_EXIST)
		come_to_be(mapping, event);
	else if (event->to == GOTRACE_STATE_RUNNING && event->from == GOTRACE_STATE_RUNNABLE)
		put(mapping, event, CTP_KIND_RESUME, (struct ct_event){.coro = coro});
	else if (event->from == GOTRACE_STATE_WAITING)
		wake(mapping, event, coro);
	else
		leave(mapping, event, coro);
}

/* ------------------------------------------------------- the runtime itself */

static void put_processor(struct gotrace_mapping *mapping, const struct gotrace_event *event,
	uint64_t proc, unsigned state)
{
	put(mapping, event, CTP_KIND_PROCESSOR,
		(struct ct_event){.object = processor(proc), .argument = (uint8_t)state});
}

/*
 * A thread that gives up its processor while it runs no goroutine has nothing to run, and sleeps until it takes a
 * processor. A thread whose goroutine is in a system call does not sleep.
 */
static void park(struct gotrace_mapping *mapping, const struct gotrace_event *event)
{
	uint32_t thread = thread_of(mapping, event->thread);
	bool sleeps = event->type == GOTRACE_PROC_STOP && event->goroutine == GOTRACE_NONE;

	if (!vec_reach(&mapping->is_parked, thread)) {
		mapping->is_out_of_memory = true;
		return;
	}
	if (sleeps != mapping->is_parked.at[thread] &&
		(sleeps || event->type == GOTRACE_PROC_START)) {
		mapping->is_parked.at[thread] = sleeps;
		put(mapping, event, sleeps ? CTP_KIND_PARK : CTP_KIND_UNPARK, (struct ct_event){0});
	}
}

/* Notes that a processor exists, so that its end can be reported once. */
static void note_proc(struct gotrace_mapping *mapping, uint64_t proc)
{
	uint32_t there = 0;

	if (map_get(&mapping->proc_of, proc, &there) || mapping->procs.count >= PROCS_MAX)
		return;
	if (!map_put(&mapping->proc_of, proc, 1) || !vec_push(&mapping->procs, proc))
		mapping->is_out_of_memory = true;
}

static void apply_proc(struct gotrace_mapping *mapping, const struct gotrace_event *event)
{
	if (event->from == event->to)
		return;
	note_proc(mapping, event->resource);
	if (event->to == GOTRACE_STATE_RUNNING)
		park(mapping, event);
	put_processor(mapping, event, event->resource,
		event->to == GOTRACE_STATE_IDLE ? CTP_PROCESSOR_IDLE : CTP_PROCESSOR_RUNNING);
	if (event->to == GOTRACE_STATE_IDLE)
		park(mapping, event);
}

static void put_counter(
	struct gotrace_mapping *mapping, const struct gotrace_event *event, const char *name)
{
	struct ct_event counter = {.object = event->values[0]};

	if (!gotrace_sites_named(&mapping->sites, name, &counter.site))
		mapping->is_out_of_memory = true;
	put(mapping, event, CTP_KIND_COUNTER, counter);
}

/* Go has fewer processors now, or more. New ones are reported when they are first used. */
static void apply_nr_procs(struct gotrace_mapping *mapping, const struct gotrace_event *event)
{
	size_t i = mapping->procs.count;

	put_counter(mapping, event, NR_PROCS_NAME);
	while (i-- > 0) {
		uint64_t proc = mapping->procs.at[i];

		if (proc < event->values[0])
			continue;
		put_processor(mapping, event, proc, CTP_PROCESSOR_GONE);
		map_remove(&mapping->proc_of, proc);
		mapping->procs.at[i] = mapping->procs.at[--mapping->procs.count];
	}
}

static void apply_metric(struct gotrace_mapping *mapping, const struct gotrace_event *event)
{
	if (event->subject == GOTRACE_NR_PROCS)
		apply_nr_procs(mapping, event);
	else
		put_counter(mapping, event,
			event->subject == GOTRACE_HEAP_BYTES ? HEAP_NAME : HEAP_GOAL_NAME);
}

static void apply_range(struct gotrace_mapping *mapping, const struct gotrace_event *event)
{
	static const uint8_t ranges[] = {[GOTRACE_GC_MARK] = CTP_RANGE_MARK,
		[GOTRACE_GC_SWEEP] = CTP_RANGE_SWEEP,
		[GOTRACE_MARK_ASSIST] = CTP_RANGE_ASSIST,
		[GOTRACE_STOPPED_WORLD] = CTP_RANGE_PAUSE};
	struct ct_event range = {.argument = ranges[event->subject]};
	bool ends = event->kind == GOTRACE_KIND_RANGE_END;

	if (event->subject == GOTRACE_GC_SWEEP)
		range.object = processor(event->resource);
	else if (event->subject == GOTRACE_MARK_ASSIST)
		range.coro = coro_of(mapping, event->resource);
	else
		range.coro = coro_of(mapping, event->goroutine);
	if (!ends)
		range.site = site_of(mapping, event->stack, event->name);
	put(mapping, event, ends ? CTP_KIND_RANGE_END : CTP_KIND_RANGE_BEGIN, range);
	if (ends && event->subject == GOTRACE_GC_SWEEP) {
		put_detail(mapping, event, CTP_DETAIL_SWEPT, event->values[0]);
		put_detail(mapping, event, CTP_DETAIL_RECLAIMED, event->values[1]);
	}
}

static void apply_label(struct gotrace_mapping *mapping, const struct gotrace_event *event)
{
	const char *label = name_of(mapping, event);
	unsigned range = CTP_RANGE_GC_WORKER;

	if (strcmp(label, "GC (idle)") == 0)
		range = CTP_RANGE_GC_IDLE;
	else if (strncmp(label, "GC (", 4) != 0)
		return;
	if (!map_put(&mapping->worker_of, event->resource, range))
		mapping->is_out_of_memory = true;
	put(mapping, event, CTP_KIND_RANGE_BEGIN,
		(struct ct_event){.coro = coro_of(mapping, event->resource),
			.argument = (uint8_t)range,
			.site = site_of(mapping, 0, event->name)});
}

/* -------------------------------------------------- events of the program */

static void apply_log(struct gotrace_mapping *mapping, const struct gotrace_event *event)
{
	const struct gotrace_string *message =
		&gotrace_reader_generation(mapping->reader)->tables.strings.at[event->message];
	uint32_t nr_bytes =
		message->nr_bytes < CTP_LOG_TEXT_MAX ? message->nr_bytes : CTP_LOG_TEXT_MAX;
	uint32_t i;

	put(mapping, event, CTP_KIND_LOG,
		(struct ct_event){.coro = coro_of(mapping, event->goroutine),
			.site = site_of(mapping, 0, event->name),
			.flags = (uint16_t)CTP_LOG_TEXT(nr_bytes)});
	for (i = 0; i < nr_bytes; i += 8) {
		uint64_t word = 0;

		memcpy(&word, message->at + i, nr_bytes - i < 8 ? nr_bytes - i : 8);
		put_detail(mapping, event, CTP_DETAIL_TEXT, word);
	}
}

static void apply_user(struct gotrace_mapping *mapping, const struct gotrace_event *event)
{
	static const uint8_t kinds[] = {
		CTP_KIND_TASK_BEGIN, CTP_KIND_TASK_END, CTP_KIND_REGION_BEGIN, CTP_KIND_REGION_END};
	unsigned kind = kinds[event->kind - GOTRACE_KIND_TASK_BEGIN];
	bool is_task = kind == CTP_KIND_TASK_BEGIN || kind == CTP_KIND_TASK_END;

	put(mapping, event, kind,
		(struct ct_event){.coro = coro_of(mapping, event->goroutine),
			.object = is_task ? event->resource : event->values[0],
			.site = site_of(mapping, 0, event->name)});
}

static void apply_sample(struct gotrace_mapping *mapping, const struct gotrace_event *event)
{
	put(mapping, event, CTP_KIND_SAMPLE,
		(struct ct_event){.coro = coro_of(mapping, event->goroutine),
			.object = processor(event->proc),
			.site = site_of(mapping, event->stack, 0)});
}

void gotrace_mapping_apply(struct gotrace_mapping *mapping, const struct gotrace_reader *reader,
	const struct gotrace_event *event)
{
	mapping->reader = reader;
	if (!mapping->has_start)
		mapping->start = event->time;
	mapping->has_start = true;
	switch ((enum gotrace_kind)event->kind) {
	case GOTRACE_KIND_GOROUTINE:
		return apply_goroutine(mapping, event);
	case GOTRACE_KIND_PROC:
		return apply_proc(mapping, event);
	case GOTRACE_KIND_RANGE_ACTIVE:
		if (mapping->nr_syncs > 1)
			return;
		return apply_range(mapping, event);
	case GOTRACE_KIND_RANGE_BEGIN:
	case GOTRACE_KIND_RANGE_END:
		return apply_range(mapping, event);
	case GOTRACE_KIND_METRIC:
		return apply_metric(mapping, event);
	case GOTRACE_KIND_LABEL:
		return apply_label(mapping, event);
	case GOTRACE_KIND_TASK_BEGIN:
	case GOTRACE_KIND_TASK_END:
	case GOTRACE_KIND_REGION_BEGIN:
	case GOTRACE_KIND_REGION_END:
		return apply_user(mapping, event);
	case GOTRACE_KIND_LOG:
		return apply_log(mapping, event);
	case GOTRACE_KIND_SAMPLE:
		return apply_sample(mapping, event);
	case GOTRACE_KIND_SYNC:
		mapping->nr_syncs++;
		return;
	case GOTRACE_KIND_EXPERIMENTAL:
		return;
	}
}
