/* SPDX-License-Identifier: MIT */
/*
 * Reading what a flight recorder inside a program has kept: the segment is a private copy here, and is drained once, as
 * an engine's segment would be.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "collect/collector.h"
#include "collect/flight_file.h"
#include "collect/flight_past.h"
#include "kernel/procfs.h"
#include "base/timeline.h"

#define SKEW_NS 1000000u /* more than the clocks of two processors differ */

struct past {
	struct flight_file file;
	struct collect *collect;
	struct process *process;
	struct segment *segment;
	struct timeline timeline;
	uint64_t begin_ns;    /* beginning of the recorder */
	uint64_t end_ns;      /* latest time that the recorder knows */
	uint64_t first_ns;    /* earliest record that is left; UINT64_MAX: none */
	uint64_t complete_ns; /* from this time on nothing was overwritten */
	uint64_t nr_overwritten;
	bool is_dumped; /* the file is out of a core dump: pieces of it may be missing */
	uint64_t room;  /* records that its chunks can hold beyond those of the rings so far */
};

/* ------------------------------------------------------------------ times */

static uint64_t time_ns(const struct past *past, uint64_t raw)
{
	size_t hint = 0;
	int64_t ns;

	if (past->file.layout.clock != CTP_CLOCK_COUNTER)
		return raw;
	ns = timeline_ns(&past->timeline, raw, &hint);
	return ns > 0 ? (uint64_t)ns : 0;
}

static bool take_reading(struct past *past, const struct clock_reading *reading)
{
	collect_define_reading(past->collect, reading);
	if (reading->monotonic_ns > past->end_ns)
		past->end_ns = reading->monotonic_ns;
	return timeline_add(
		&past->timeline, reading->counter, reading->monotonic_ns, reading->uncertainty_ns);
}

static struct clock_reading reading_of(const struct ctp_instant *instant)
{
	return (struct clock_reading){
		instant->counter, instant->monotonic_ns, instant->realtime_ns, 0};
}

/* If the counter still counts, it is read once more: the longer the line, the more exact its slope. */
static bool take_clocks(struct past *past)
{
	const struct proto_layout *layout = &past->file.layout;
	struct clock_reading reading = reading_of(&layout->attached);
	uint64_t end_ns;

	past->begin_ns = reading.monotonic_ns;
	if (!take_reading(past, &reading))
		return false;
	if (layout->latest.monotonic_ns > reading.monotonic_ns) {
		reading = reading_of(&layout->latest);
		if (!take_reading(past, &reading))
			return false;
	}
	end_ns = past->end_ns;
	clock_read(&reading);
	if (past->file.is_this_boot && !take_reading(past, &reading))
		return false;
	/* An ended process was not observed after its last record. */
	if (!past->file.is_alive)
		past->end_ns = end_ns;
	return true;
}

/* ------------------------------------------------------------------ the process */

struct holder {
	const struct past *past;
	pid_t pid;
	bool has_it;
};

static bool look_at_descriptor(void *context, int number)
{
	struct holder *holder = context;
	struct stat file;

	holder->has_it = stat(procfs_descriptor(holder->pid, number).text, &file) == 0 &&
			 file.st_dev == holder->past->file.device &&
			 file.st_ino == holder->past->file.inode;
	return !holder->has_it;
}

/*
 * Returns the process whose threads can be observed; 0: it is gone, or the id belongs to another process. The process
 * must have the file open.
 */
static pid_t pid_to_ask(const struct past *past, pid_t pid)
{
	struct holder holder = {past, pid, false};

	if (!past->file.is_alive || past->file.layout.pid > INT32_MAX)
		return 0;
	if (pid == 0)
		holder.pid = (pid_t)past->file.layout.pid;
	procfs_numbers(holder.pid, "fd", look_at_descriptor, &holder);
	return holder.has_it ? holder.pid : 0;
}

static void define_process(struct past *past, pid_t pid)
{
	struct ct_definition definition = {.type = CT_DEFINE_PROCESS};
	struct process *process = &past->collect->processes[0];

	process->number = ++past->collect->nr_processes;
	process->pid = pid_to_ask(past, pid);
	process->pidfd = -1;
	process->was_mapped = true;
	past->process = process;
	if (process->pid)
		thread_ids_init(&process->ids, process->pid);
	definition.process = (struct ct_define_process){
		.process = process->number,
		.pid = process->pid ? (uint64_t)process->pid : past->file.layout.pid,
		.program = past->file.program,
		.command_line = past->file.command_line,
	};
	collect_output_define(&past->collect->output, &definition);
}

static void define_code(struct past *past)
{
	struct ct_define_mapping mapping = {.process = past->process->number};
	char *line = NULL;

	while (collect_about_next_code(&past->file.about, &line, &mapping))
		collect_mappings_add(&past->collect->mappings, &mapping, &past->collect->output);
}

/* ------------------------------------------------------------------ the rings */

/* From here on the segment owns the copy. */
static enum ct_status take_segment(struct past *past, struct ct_error *reterr)
{
	const struct proto_layout *layout = &past->file.layout;
	struct segment *segment = &past->collect->segments[0];
	enum ct_status status;

	segment->memory = (struct memory){past->file.base, past->file.nr_bytes, -1};
	segment->layout = *layout;
	status = collect_segment_take(past->collect, segment, past->process,
		layout->clock == CTP_CLOCK_COUNTER ? layout->attached.counter
						   : layout->attached.monotonic_ns,
		reterr);
	if (status)
		return status;
	segment->settled_ns = past->begin_ns;
	past->segment = segment;
	past->file.base = NULL;
	return CT_OK;
}

/* Returns the record at a position of the copy, which may be changed; NULL: there is none. */
static struct ctp_record *record_at(
	const struct past *past, const struct ctp_ring *ring, uint64_t position)
{
	uint64_t entry = position / CTP_CHUNK_RECORDS % CTP_RING_CHUNKS;
	char *base = past->segment->memory.base;
	const struct ctp_record *chunk =
		proto_chunk(&past->segment->layout, base, ring->chunk[entry]);

	if (!chunk)
		return NULL;
	return (struct ctp_record *)(void *)(base + ((const char *)chunk - base)) +
	       position % CTP_CHUNK_RECORDS;
}

static void note_time(struct past *past, const struct ctp_record *record, uint64_t *latest_ns)
{
	uint64_t ns = time_ns(past, record->time);

	if (ns < past->first_ns)
		past->first_ns = ns;
	if (ns > *latest_ns)
		*latest_ns = ns;
}

/*
 * After a crash of the machine the file may be a mixture of old and new contents, and a core dump may lack a piece.
 * Within a ring time does not go back (P-51): a record that is older than the record before it, or was never written,
 * belongs to an earlier round, and is replaced by a record of its own loss.
 */
static void mark_unwritten(struct past *past, const struct ctp_ring *ring)
{
	uint64_t latest_ns = past->begin_ns > SKEW_NS ? past->begin_ns - SKEW_NS : 0;
	uint64_t latest = 0;
	uint64_t position;

	for (position = ring->floor; position < ring->head; position++) {
		struct ctp_record *record = record_at(past, ring, position);
		uint64_t ns = record ? time_ns(past, record->time) : 0;

		if (!record)
			continue;
		if (CTP_TAIL_KIND(record->tail) == 0 || ns + SKEW_NS < latest_ns) {
			*record = (struct ctp_record){
				latest, latest, 1, CTP_TAIL(0, CTP_KIND_LOST, CTP_LOSS_CORRUPT, 0)};
			continue;
		}
		latest = record->time;
		if (ns > latest_ns)
			latest_ns = ns;
	}
}

/* All rings together cannot hold more than the chunks; a ring that claims more is not read. */
static bool is_possible(struct past *past, struct segment_ring *ring)
{
	const struct ctp_ring *shared = ring->reader.shared;

	if (shared->head >= shared->floor && shared->head - shared->floor <= past->room) {
		past->room -= shared->head - shared->floor;
		return true;
	}
	ring->reader.tail = shared->head;
	ring->reader.nr_corrupt++;
	return false;
}

/* Examines the first and the last record of the ring before draining it. */
static void prepare_ring(struct past *past, struct segment_ring *ring, uint64_t *latest_ns)
{
	const struct ctp_ring *shared = ring->reader.shared;
	const struct ctp_record *first = record_at(past, shared, shared->floor);
	const struct ctp_record *last = record_at(past, shared, shared->head - 1);

	if (!is_possible(past, ring) || shared->head == shared->floor || !first || !last)
		return;
	if (!past->file.is_this_boot || past->is_dumped)
		mark_unwritten(past, shared);
	note_time(past, first, latest_ns);
	note_time(past, last, latest_ns);
	ring->reader.thread = collect_adopt_first_thread(past->segment, ring);
	ring->gap_first_ns = time_ns(past, first->time);
	if (shared->floor > 0 && ring->gap_first_ns > past->complete_ns)
		past->complete_ns = ring->gap_first_ns;
}

/* The overwritten records lay between the recorder's beginning and the first record that is left in the ring. */
static void lose_overwritten(struct past *past, struct segment_ring *ring)
{
	const struct ct_define_loss loss = {
		.process = past->process->number,
		.thread = ring->reader.shared->claims == 1 ? ring->reader.thread : 0,
		.reason = CTP_LOSS_OVERWRITTEN,
		.count = ring->reader.nr_overwritten,
		.first_monotonic_ns = past->begin_ns,
		.last_monotonic_ns =
			ring->gap_first_ns > past->begin_ns ? ring->gap_first_ns : past->end_ns,
	};

	collect_output_lose(&past->collect->output, &loss);
	ring->told_overwritten = ring->reader.nr_overwritten;
	ring->gap_first_ns = 0;
	past->nr_overwritten += ring->reader.nr_overwritten;
}

static void drain(struct past *past)
{
	struct segment *segment = past->segment;
	uint64_t latest_ns = 0;
	size_t i;

	past->room = (uint64_t)segment->layout.chunk_max * CTP_CHUNK_RECORDS;
	collect_segment_find_rings(segment);
	for (i = 0; i < segment->rings.count; i++)
		prepare_ring(past, &segment->rings.at[i], &latest_ns);
	if (latest_ns > past->end_ns)
		past->end_ns = latest_ns;
	collect_segment_drain_all(segment);
	for (i = 0; i < segment->rings.count; i++)
		lose_overwritten(past, &segment->rings.at[i]);
	collect_segment_settle(segment, past->end_ns, true);
}

/* ------------------------------------------------------------------ the whole file */

static uint64_t before_end(const struct past *past, uint64_t ns)
{
	return ns < past->end_ns ? past->end_ns - ns : 0;
}

static void tell_facts(const struct past *past, struct ct_flight_recovered *ret_facts)
{
	uint64_t from_ns = past->first_ns < past->begin_ns ? past->begin_ns : past->first_ns;

	*ret_facts = (struct ct_flight_recovered){
		.pid = past->file.layout.pid,
		.is_alive = past->file.is_alive,
		.are_times_rough = past->file.layout.clock == CTP_CLOCK_COUNTER &&
				   past->timeline.pieces.count < 2,
		.nr_overwritten = past->nr_overwritten,
		.held_ns = before_end(past, from_ns),
		.complete_ns = before_end(
			past, past->nr_overwritten > 0 ? past->complete_ns : past->begin_ns),
	};
}

static void define_note(struct past *past, const struct ct_flight_recovered *facts)
{
	struct ct_definition definition = {.type = CT_DEFINE_NOTE};
	char text[200];

	if (facts->nr_overwritten == 0)
		return;
	snprintf(text, sizeof(text),
		"an older event gave way to a newer one in the program's flight recorder; "
		"everything is "
		"here of the last %.3f s, of every thread",
		(double)facts->complete_ns / 1e9);
	definition.note = (struct ct_define_note){
		.text = text, .count = facts->nr_overwritten, .offset = CT_NO_OFFSET};
	collect_output_define(&past->collect->output, &definition);
}

static void define_end(struct past *past)
{
	const struct ct_define_ending ending = {
		.ending = past->file.is_alive ? CT_ENDING_DETACHED : CT_ENDING_UNKNOWN,
		.monotonic_ns = past->end_ns,
	};

	collect_segment_close(past->segment);
	collect_process_end(past->collect, past->process, &ending);
	past->collect->was_wound_up = true;
	past->collect->ended_ns = past->end_ns;
}

/*
 * A thread's state is meaningful only together with everything that the thread wrote before: threads are looked at
 * first, and the recorder is read after that.
 */
static enum ct_status look_and_read_again(
	struct past *past, const struct input *input, struct ct_error *reterr)
{
	struct flight_file again;
	enum ct_status status;

	collect_observe_process(past->collect, past->process);
	past->end_ns = clock_monotonic_ns();
	status = collect_flight_file_read(input, &again, reterr);
	if (status)
		return status;
	if (memcmp(again.layout.identity, past->file.layout.identity,
		    sizeof(again.layout.identity)) != 0) {
		collect_flight_file_close(&again);
		return ct_fail(reterr, CT_ERR_CORRUPT,
			"'%s' was begun anew by another program while it was read", input->name);
	}
	collect_flight_file_close(&past->file);
	past->file = again;
	return CT_OK;
}

static enum ct_status take_out(struct past *past, const struct input *input, pid_t pid,
	struct ct_flight_recovered *ret_facts, struct ct_error *reterr)
{
	struct collect *collect = past->collect;
	enum ct_status status;

	memcpy(collect->run_id, past->file.layout.identity, sizeof(collect->run_id));
	collect_define_run(collect, past->file.host);
	if (!take_clocks(past))
		return ct_fail_memory(reterr);
	collect->now_ns = past->begin_ns;
	collect_define_heartbeat(collect);
	define_process(past, pid);
	define_code(past);
	status = past->process->pid ? look_and_read_again(past, input, reterr) : CT_OK;
	if (status == CT_OK)
		status = take_segment(past, reterr);
	if (status)
		return status;
	drain(past);
	tell_facts(past, ret_facts);
	define_note(past, ret_facts);
	define_end(past);
	return CT_OK;
}

enum ct_status collect_flight(const struct input *input, pid_t pid, struct ct_sink *sink,
	struct collect **ret_collect, struct ct_flight_recovered *ret_facts,
	struct ct_error *reterr)
{
	struct past past = {.first_ns = UINT64_MAX, .is_dumped = pid == COLLECT_IS_DUMPED};
	enum ct_status status = collect_flight_file_read(input, &past.file, reterr);

	if (status)
		return status;
	past.file.is_alive &= !past.is_dumped;
	past.collect = collect_new(sink);
	status = past.collect ? take_out(&past, input, pid, ret_facts, reterr)
			      : ct_fail_memory(reterr);
	timeline_fini(&past.timeline);
	collect_flight_file_close(&past.file);
	if (status == CT_OK)
		*ret_collect = past.collect;
	else
		collect_close(past.collect);
	return status;
}
