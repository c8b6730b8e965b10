/* SPDX-License-Identifier: MIT */
/* Makes events of what the kernel samples of the target's threads. */
#include "collect/samples.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "collect/collector.h"
#include "kernel/procfs.h"

#define SEARCH_PERIOD_NS UINT64_C(100000000)
#define THREADS_WATCHED 1024u
#define HASTY_TURNS 2000u /* a second */
#define OFF_TOLD_NS UINT64_C(1000000)
#define OFF_GOES_ON_NS UINT64_C(1000000000) /* is told after this time although it goes on */
#define MINOR_TOLD 100u
/* after the last one */
#define FAULTS_TOLD_NS UINT64_C(10000000000)
#define FAULTS_PERIOD_NS UINT64_C(10000000)
#define FAULTING_NS UINT64_C(100000000)
#define SECOND_NS UINT64_C(1000000000)
#define SITES_MAX 65536u
#define STACKS_MAX 65536u

/* ---------------------------------------------------------------- processes */

/* Returns the process's entry, which is made if there is none. NULL: out of memory. */
static struct sampled_process *names_of(struct collect *collect, const struct process *process)
{
	struct sampled_process fresh = {.process = process->number};
	struct samples *samples = &collect->samples;
	size_t i, free_at = samples->processes.count;

	for (i = 0; i < samples->processes.count; i++) {
		if (samples->processes.at[i].process == process->number)
			return &samples->processes.at[i];
		if (!samples->processes.at[i].process)
			free_at = i;
	}
	if (free_at == samples->processes.count && !vec_push(&samples->processes, fresh))
		return NULL;
	fresh.segment = collect_process_segment(collect, process);
	samples->processes.at[free_at] = fresh;
	return &samples->processes.at[free_at];
}

static void forget_names(struct sampled_process *names)
{
	map_fini(&names->sites);
	map_fini(&names->stacks);
	map_fini(&names->tops);
	collect_fault_files_fini(&names->files);
	*names = (struct sampled_process){0};
}

/* ---------------------------------------------------------------- sites and stacks */

/* A place of which samples are taken, while one sample is named. */
struct naming {
	struct collect *collect;
	struct process *process;
	struct sampled_process *names;
};

static uint32_t define_site(
	const struct naming *naming, uint64_t address, uint32_t kind, uint32_t stack, uint32_t file)
{
	struct ct_definition definition = {.type = CT_DEFINE_SITE};
	struct collect_site kept = {naming->names->segment, naming->process->number,
		++naming->names->nr_sites, kind, address, 0};

	definition.site = (struct ct_define_site){
		.segment = kept.segment,
		.id = kept.id,
		.kind = kind,
		.reason = collect_fault_files_name(&naming->names->files, file),
		.address = address,
		.stack = stack,
	};
	collect_output_define(&naming->collect->output, &definition);
	collect_segment_remember(naming->collect, naming->process, &kept);
	return kept.id;
}

/* Returns the number of the site of this address; 0: there is no room. */
static uint32_t site_of(const struct naming *naming, uint64_t address, uint32_t kind)
{
	struct sampled_process *names = naming->names;
	uint64_t key = address << 1 | (kind == CTP_SITE_ADDRESS);
	uint32_t site;

	if (map_get(&names->sites, key, &site))
		return site;
	if (names->nr_sites >= SITES_MAX || !map_put(&names->sites, key, names->nr_sites + 1))
		return 0;
	return define_site(naming, address, kind, 0, 0);
}

/* Returns the stack on which `site` was called by `caller`; 0: there is no room. */
static uint32_t stack_of(const struct naming *naming, uint32_t site, uint32_t caller)
{
	struct ct_definition definition = {.type = CT_DEFINE_STACK};
	struct sampled_process *names = naming->names;
	uint64_t key = (uint64_t)caller << 32 | site;
	uint32_t stack;

	if (map_get(&names->stacks, key, &stack))
		return stack;
	if (names->nr_stacks >= STACKS_MAX || !map_put(&names->stacks, key, names->nr_stacks + 1))
		return 0;
	stack = ++names->nr_stacks;
	definition.stack = (struct ct_define_stack){
		.segment = names->segment, .id = stack, .site = site, .caller = caller};
	collect_output_define(&naming->collect->output, &definition);
	return stack;
}

/* Returns how many of the calls are believed: a program without frame pointers has anything in their place. */
static uint32_t believed_calls(
	const struct naming *naming, const uint64_t *calls, uint32_t nr_calls)
{
	const struct mappings *mappings = &naming->collect->mappings;
	uint32_t count = 1;

	while (count < nr_calls &&
		collect_mappings_cover(mappings, naming->process->number, calls[count] - 1))
		count++;
	return count;
}

/* Returns the site of the whole stack, and of the file for which it waits; 0: there is no room even for the address. */
static uint32_t place_of(
	const struct naming *naming, const uint64_t *calls, uint32_t nr_calls, uint32_t file)
{
	uint32_t count = believed_calls(naming, calls, nr_calls), stack = 0, site = 0, top;
	struct sampled_process *names = naming->names;
	uint64_t key;

	if (!nr_calls)
		return 0;
	while (count-- > 0) {
		site = site_of(
			naming, calls[count], count ? CTP_SITE_ADDRESS : CTP_SITE_INSTRUCTION);
		stack = site ? stack_of(naming, site, stack) : 0;
	}
	if (!stack)
		return site;
	key = (uint64_t)file << 32 | stack;
	if (map_get(&names->tops, key, &top))
		return top;
	if (names->nr_sites >= SITES_MAX || !map_put(&names->tops, key, names->nr_sites + 1))
		return site;
	return define_site(naming, calls[0], CTP_SITE_INSTRUCTION, stack, file);
}

/* ---------------------------------------------------------------- records */

static void put_record(struct collect *collect, const struct sampled_thread *thread,
	const struct ctp_record *record)
{
	struct ct_batch batch = {.stream = thread->stream,
		.thread = thread->thread,
		.records = record,
		.nr_records = 1};

	collect_output_put(&collect->output, &batch, 1);
}

static uint32_t name(struct collect *collect, const struct sampled_thread *thread,
	const uint64_t *calls, uint32_t nr_calls)
{
	struct naming naming = {collect, thread->process, names_of(collect, thread->process)};

	return naming.names ? place_of(&naming, calls, nr_calls, 0) : 0;
}

static void put_sample(struct collect *collect, const struct sampled_thread *thread,
	const struct perf_record *record)
{
	uint32_t site = name(collect, thread, record->calls, record->nr_calls);
	struct ctp_record sample = {
		.time = record->time,
		.tail = CTP_TAIL(site, CTP_KIND_SAMPLE, 0,
			CTP_SAMPLE_FLAGS_HZ(collect->samples.hz) | CTP_SAMPLE_BY_KERNEL |
				(record->is_in_kernel ? CTP_SAMPLE_IN_KERNEL : 0u)),
	};

	put_record(collect, thread, &sample);
}

/* Records that it had no processor until now. Short times are many: these have no stack, and waits are left out. */
static void put_off(struct collect *collect, struct sampled_thread *thread, uint64_t until_ns)
{
	uint64_t ns = until_ns - thread->off_ns;
	bool is_long = ns >= OFF_TOLD_NS || thread->is_going_on;
	uint32_t site =
		is_long ? name(collect, thread, thread->off_calls, thread->nr_off_calls) : 0;
	struct ctp_record off = {
		.time = until_ns,
		.object = ns,
		.tail = CTP_TAIL(site, CTP_KIND_THREAD_OFF, thread->was_preempted,
			thread->is_going_on ? CTP_OFF_GOES_ON : 0u),
	};

	if (is_long || thread->was_preempted)
		put_record(collect, thread, &off);
}

/*
 * While a page is read, the thread is at the instruction that wants it: what it waited there was for the page. A call
 * of the kernel leaves it behind another instruction.
 */
static void note_wait(struct sampled_thread *thread, uint64_t ns)
{
	if (thread->was_preempted || !thread->nr_off_calls)
		return;
	if (thread->wait_address != thread->off_calls[0])
		thread->wait_ns = 0;
	thread->wait_address = thread->off_calls[0];
	thread->wait_ns += ns;
}

static void put_fault(
	struct collect *collect, struct sampled_thread *thread, const struct perf_record *record)
{
	struct naming naming = {collect, thread->process, names_of(collect, thread->process)};
	bool is_known = record->nr_calls && record->calls[0] == thread->wait_address;
	struct ctp_record fault = {
		.time = record->time,
		.coro = record->address,
		.object = is_known ? thread->wait_ns : 0,
	};
	uint32_t file, site;

	thread->wait_ns = thread->wait_address = 0;
	collect->samples.faulted_ns = collect->now_ns;
	if (!naming.names)
		return;
	file = collect_fault_files_at(
		&naming.names->files, thread->process->pid, record->address, collect->now_ns);
	site = place_of(&naming, record->calls, record->nr_calls, file);
	fault.tail = CTP_TAIL(site, CTP_KIND_PAGE_FAULT, 0, 0);
	put_record(collect, thread, &fault);
}

static void note_off(struct sampled_thread *thread, const struct perf_record *record)
{
	thread->off_ns = record->time;
	thread->was_preempted = record->is_preempted;
	thread->is_going_on = false;
}

static void note_on(struct collect *collect, struct sampled_thread *thread, uint64_t time_ns)
{
	if (thread->off_ns && time_ns > thread->off_ns) {
		put_off(collect, thread, time_ns);
		note_wait(thread, time_ns - thread->off_ns);
	}
	thread->off_ns = 0;
	thread->nr_off_calls = 0;
}

static void keep_stack(struct sampled_thread *thread, const struct perf_record *record)
{
	thread->nr_off_calls = record->nr_calls;
	memcpy(thread->off_calls, record->calls, record->nr_calls * sizeof(*record->calls));
}

/* A thread that sleeps for ever is told of nevertheless. */
static void tell_off(struct collect *collect, struct sampled_thread *thread, uint64_t from_ns)
{
	uint64_t now_ns = collect->now_ns;

	if (!thread->off_ns || now_ns < thread->off_ns + from_ns)
		return;
	put_off(collect, thread, now_ns);
	thread->off_ns = now_ns;
	thread->is_going_on = true;
}

static void take_record(
	struct collect *collect, struct sampled_thread *thread, const struct perf_record *record)
{
	switch (record->kind) {
	case PERF_SAMPLE:
		put_sample(collect, thread, record);
		break;
	case PERF_STACK:
		keep_stack(thread, record);
		break;
	case PERF_FAULT:
		put_fault(collect, thread, record);
		break;
	case PERF_SWITCH_OUT:
		note_off(thread, record);
		break;
	case PERF_SWITCH_IN:
		note_on(collect, thread, record->time);
		break;
	case PERF_LOST:
		collect->samples.nr_lost += record->count;
		thread->off_ns = thread->wait_ns = 0;
		thread->nr_off_calls = 0;
		break;
	}
}

static void take(struct collect *collect, struct sampled_thread *thread)
{
	struct perf_record record;
	bool is_corrupt;

	while (perf_thread_next(&thread->watch, &record, &is_corrupt))
		take_record(collect, thread, &record);
	collect->samples.nr_lost += is_corrupt;
	tell_off(collect, thread, OFF_GOES_ON_NS);
}

void collect_samples_take(struct collect *collect)
{
	size_t i;

	collect->samples.taken_ns = collect->now_ns;
	for (i = 0; i < collect->samples.threads.count; i++)
		if (collect->samples.threads.at[i].is_open)
			take(collect, &collect->samples.threads.at[i]);
}

/* ---------------------------------------------------------------- threads */

static uint64_t key_of(const struct process *process, uint64_t tid)
{
	return (uint64_t)process->number << 32 ^ tid;
}

static struct sampled_thread *find_thread(
	struct samples *samples, const struct process *process, uint64_t tid)
{
	uint32_t index;

	return map_get(&samples->by_tid, key_of(process, tid), &index) ? &samples->threads.at[index]
								       : NULL;
}

/* A thread that is refused stays in the list, so that the kernel is not asked again at each look. */
static void watch(struct collect *collect, struct sampled_thread *thread)
{
	struct samples *samples = &collect->samples;
	struct sampled_process *names = names_of(collect, thread->process);

	thread->is_open =
		names && perf_thread_open(&thread->watch, (pid_t)thread->tid, samples->hz, true);
	if (!thread->is_open) {
		thread->is_refused = true;
		samples->nr_unwatched += errno != ESRCH;
		samples->trouble = errno;
		return;
	}
	samples->is_blind |= thread->watch.is_blind;
	thread->off_ns = 0;
	thread->nr_off_calls = 0;
	if (thread->stream)
		return;
	thread->thread =
		collect_process_thread(collect, thread->process, thread->tid, THREADS_RUNNING);
	thread->stream = collect_process_stream(collect, names->segment);
}

static void unwatch(struct collect *collect, struct sampled_thread *thread)
{
	if (!thread->is_open)
		return;
	take(collect, thread);
	tell_off(collect, thread, OFF_TOLD_NS);
	perf_thread_close(&thread->watch);
	thread->is_open = false;
}

static void put_count(struct collect *collect, const struct sampled_thread *thread, uint64_t count,
	bool is_major, uint64_t since_ns)
{
	struct ctp_record faults = {
		.time = clock_monotonic_ns(),
		.coro = since_ns,
		.object = count,
		.tail = CTP_TAIL(0, CTP_KIND_FAULTS, is_major, 0),
	};

	collect_observe_put(collect, thread->process, thread->thread, &faults);
}

/* A few minor ones are nothing to speak of. Nothing is known of the time before the first look. */
static void count_faults(struct collect *collect, struct sampled_thread *thread, uint64_t since_ns)
{
	struct procfs_faults faults;
	bool is_known = thread->faults.nr_minor;

	if (!procfs_faults(thread->process->pid, thread->tid, &faults))
		return;
	thread->nr_major = is_known ? faults.nr_major - thread->faults.nr_major : 0;
	if (is_known && faults.nr_minor >= thread->faults.nr_minor + MINOR_TOLD)
		put_count(collect, thread, faults.nr_minor - thread->faults.nr_minor, false,
			since_ns);
	if (thread->nr_major) {
		thread->faulted_ns = collect->now_ns;
		put_count(collect, thread, thread->nr_major, true, since_ns);
		collect->samples.faulted_ns = collect->now_ns;
	}
	if (thread->is_open)
		perf_thread_tell_faults(&thread->watch, (pid_t)thread->tid,
			thread->faulted_ns &&
				collect->now_ns - thread->faulted_ns < FAULTS_TOLD_NS);
	thread->faults = faults;
}

/* A turn that ended because a page had to be read costs little in comparison. */
static uint64_t turns_of(struct sampled_thread *thread, const struct procfs_account *account)
{
	uint64_t turns = account->nr_turns - thread->turns;

	thread->turns = account->nr_turns;
	return turns > thread->nr_major ? turns - thread->nr_major : 0;
}

/* A hasty thread must become much calmer before it is watched again. */
static void judge_haste(struct collect *collect, struct sampled_thread *thread, uint64_t since_ns)
{
	struct procfs_account account;
	bool was_hasty = thread->is_hasty;
	uint64_t turns, allowed;

	if (!procfs_account(thread->process->pid, thread->tid, &account))
		return;
	turns = turns_of(thread, &account);
	allowed = since_ns * HASTY_TURNS / SECOND_NS;
	thread->is_hasty = turns > (was_hasty ? allowed / 2 : allowed);
	if (thread->is_hasty == was_hasty)
		return;
	collect->samples.nr_hasty += thread->is_hasty;
	if (thread->is_hasty)
		unwatch(collect, thread);
	else if (!thread->is_refused)
		watch(collect, thread);
}

static void note_thread(struct collect *collect, struct process *process, uint64_t tid)
{
	struct samples *samples = &collect->samples;
	struct sampled_thread *known = find_thread(samples, process, tid);
	struct sampled_thread fresh = {.process = process, .tid = tid, .is_there = true};
	struct procfs_account account;

	if (known) {
		known->is_there = true;
		return;
	}
	if (samples->threads.count >= THREADS_WATCHED || !vec_push(&samples->threads, fresh))
		return;
	if (!map_put(
		    &samples->by_tid, key_of(process, tid), (uint32_t)samples->threads.count - 1)) {
		samples->threads.count--;
		return;
	}
	known = &samples->threads.at[samples->threads.count - 1];
	if (procfs_account(process->pid, tid, &account))
		known->turns = account.nr_turns;
	watch(collect, known);
}

static void note_threads(struct collect *collect, struct segment *segment)
{
	struct process *process = segment->process;
	size_t i;

	for (i = 0; i < segment->rings.count; i++) {
		const struct ring_reader *reader = &segment->rings.at[i].reader;
		uint64_t told = reader->thread ? ctp_load_relaxed(&reader->shared->owner) : 0;
		uint64_t tid = told ? thread_ids_here(&process->ids, process->pid, told) : 0;

		if (tid && tid <= INT32_MAX)
			note_thread(collect, process, tid);
	}
}

/* Takes the thread's last records, and the last entry of the list into its place. */
static void forget_thread(struct collect *collect, size_t at)
{
	struct samples *samples = &collect->samples;
	struct sampled_thread *thread = &samples->threads.at[at];
	const struct sampled_thread *last = &samples->threads.at[samples->threads.count - 1];

	unwatch(collect, thread);
	map_remove(&samples->by_tid, key_of(thread->process, thread->tid));
	if (thread != last) {
		*thread = *last;
		map_put(&samples->by_tid, key_of(thread->process, thread->tid), (uint32_t)at);
	}
	samples->threads.count--;
}

/* New threads are looked for at once; how hasty a thread is can be told only after a while. */
static void look_for_haste(struct collect *collect)
{
	struct samples *samples = &collect->samples;
	uint64_t since_ns = collect->now_ns - samples->judged_ns;
	size_t i;

	if (since_ns < SEARCH_PERIOD_NS)
		return;
	samples->judged_ns = collect->now_ns;
	for (i = 0; i < samples->threads.count; i++) {
		count_faults(collect, &samples->threads.at[i], since_ns);
		judge_haste(collect, &samples->threads.at[i], since_ns);
	}
}

static void search(struct collect *collect)
{
	struct samples *samples = &collect->samples;
	struct segment *segment;
	size_t i;

	look_for_haste(collect);
	for (i = 0; i < samples->threads.count; i++)
		samples->threads.at[i].is_there = false;
	for_each_segment (collect, segment)
		if (segment->layout.role == CTP_ROLE_PROBE && !segment->process->has_ended)
			note_threads(collect, segment);
	for (i = samples->threads.count; i-- > 0;)
		if (!samples->threads.at[i].is_there && !samples->threads.at[i].process->has_ended)
			forget_thread(collect, i);
	samples->nr_threads = collect->nr_threads;
	samples->searched_ns = collect->now_ns;
}

/* A thread that reads one page after the other fills its ring in less than a tenth of a second. */
static uint64_t faults_due_ns(const struct samples *samples)
{
	bool is_faulting = samples->taken_ns < samples->faulted_ns + FAULTING_NS;

	return is_faulting && samples->faulted_ns ? samples->taken_ns + FAULTS_PERIOD_NS
						  : UINT64_MAX;
}

void collect_samples_look(struct collect *collect)
{
	struct samples *samples = &collect->samples;

	if (!samples->hz)
		return;
	if (samples->nr_threads != collect->nr_threads ||
		collect->now_ns - samples->searched_ns >= SEARCH_PERIOD_NS) {
		search(collect);
		collect_samples_take(collect);
	} else if (collect->now_ns >= faults_due_ns(samples)) {
		collect_samples_take(collect);
	}
}

/* A thread may compute, or read pages, for ever from now on, and nothing else may happen. */
uint64_t collect_samples_due_ns(const struct collect *collect)
{
	const struct samples *samples = &collect->samples;
	uint64_t faults_ns = faults_due_ns(samples);
	uint64_t search_ns = samples->searched_ns + SEARCH_PERIOD_NS;

	return samples->threads.count && search_ns < faults_ns ? search_ns : faults_ns;
}

void collect_samples_last(struct collect *collect, struct process *process)
{
	struct samples *samples = &collect->samples;
	size_t i;

	for (i = samples->threads.count; i-- > 0;)
		if (samples->threads.at[i].process == process)
			forget_thread(collect, i);
	for (i = 0; i < samples->processes.count; i++)
		if (samples->processes.at[i].process == process->number)
			forget_names(&samples->processes.at[i]);
}

void collect_samples_fini(struct collect *collect)
{
	struct samples *samples = &collect->samples;
	size_t i;

	for (i = 0; i < samples->threads.count; i++)
		perf_thread_close(&samples->threads.at[i].watch);
	for (i = 0; i < samples->processes.count; i++)
		forget_names(&samples->processes.at[i]);
	vec_fini(&samples->processes);
	vec_fini(&samples->threads);
	map_fini(&samples->by_tid);
}
