/* SPDX-License-Identifier: MIT */
/*
 * Reading a mapped segment. The order within one look is: the head of a ring first (P1), then the sites that were
 * interned, then the records below that head. So every definition comes before its use.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/about.h"
#include "base/clock.h"
#include "collect/coarse.h"
#include "collect/collector.h"
#include "collect/memory.h"
#include "collect/segment.h"

#define BITS 64u
#define PID_DIGITS 12
#define SECOND_NS UINT64_C(1000000000)
#define PRODUCER_LINE_BYTES offsetof(struct ctp_ring, tail)

static struct ctp_header *header_of(const struct segment *segment)
{
	return segment->memory.base;
}

/*
 * Returns whether these bytes of the segment have ever been written; memory that is not a peer's is read without this
 * check.
 */
static bool holds(const struct segment *segment, const void *at, size_t nr_bytes)
{
	return segment->memory.descriptor < 0 ||
	       collect_memory_holds(&segment->memory, at, nr_bytes);
}

struct ctp_orders *collect_segment_orders(const struct segment *segment)
{
	return proto_orders(&segment->layout, segment->memory.base);
}

/* ------------------------------------------------------------------ sites */

static bool is_address(uint32_t kind)
{
	return kind == CTP_SITE_ADDRESS || kind == CTP_SITE_FUNCTION ||
	       kind == CTP_SITE_INSTRUCTION || kind == CTP_SITE_CALLER;
}

void collect_segment_remember(
	struct collect *collect, struct process *process, const struct collect_site *site)
{
	if (collect->sites.count >= COLLECT_SITES_MAX || !vec_push(&collect->sites, *site))
		collect->nr_sites_forgotten++;
	if (!collect_mappings_cover(&collect->mappings, process->number, site->address))
		process->wants_mappings = true;
}

static void remember_site(struct collect *collect, const struct segment *segment,
	const struct proto_site *site, uint32_t id)
{
	struct collect_site kept = {
		segment->number, segment->process->number, id, site->kind, site->address, 0};

	if (site->kind == CTP_SITE_CALLER)
		kept.inside = site->line | (uint64_t)site->column << 32;
	collect_segment_remember(collect, segment->process, &kept);
}

/* Defines a stack under the number of the site of its innermost call. A stack that is known already stays as it is. */
static void define_stack(struct segment *segment, uint32_t id, uint32_t caller)
{
	struct ct_definition definition = {.type = CT_DEFINE_STACK,
		.stack = {.segment = segment->number, .id = id, .site = id, .caller = caller}};

	collect_output_define(&segment->collect->output, &definition);
}

static void define_stacks(struct segment *segment, uint32_t id, const struct proto_site *site)
{
	if (site->inside)
		define_stack(segment, site->inside, 0);
	if (!site->caller)
		return;
	define_stack(segment, site->caller, 0);
	define_stack(segment, id, site->caller);
}

static bool is_known(const struct segment *segment, uint32_t id)
{
	return segment->sites_known[id / BITS] >> id % BITS & 1;
}

/*
 * Returns whether the sites that this site names are defined. Such sites may have become ready after this look; then no
 * record below the head names the site.
 */
static bool is_way_known(const struct segment *segment, const struct proto_site *site)
{
	return (!site->caller || is_known(segment, site->caller)) &&
	       (!site->inside || is_known(segment, site->inside));
}

static bool define_site(struct segment *segment, uint32_t id)
{
	struct proto_site site;
	struct ct_definition definition = {.type = CT_DEFINE_SITE};
	bool has_line;

	if (!proto_read_site(&segment->layout, segment->memory.base, id, &site) ||
		!is_way_known(segment, &site))
		return false;
	has_line = !is_address(site.kind);
	definition.site = (struct ct_define_site){
		.segment = segment->number,
		.id = id,
		.kind = site.kind,
		.form = site.form,
		.line = has_line ? site.line : 0,
		.column = has_line ? site.column : 0,
		.file = site.file,
		.function = site.function,
		.reason = site.reason,
		.module = "",
		.address = site.kind == CTP_SITE_SOURCE ? 0 : site.address,
		.stack = site.inside   ? site.inside
			 : site.caller ? id
				       : 0,
	};
	collect_output_define(&segment->collect->output, &definition);
	define_stacks(segment, id, &site);
	if (is_address(site.kind))
		remember_site(segment->collect, segment, &site, id);
	return true;
}

/* Handles one word of the bits: defines sites that have become ready since the last look. */
static void read_site_word(struct segment *segment, uint32_t word)
{
	uint64_t open = ~segment->sites_known[word];
	uint32_t first = word * BITS;
	uint32_t rest = segment->sites_end - first;

	if (!holds(segment, proto_site_at(&segment->layout, segment->memory.base, first),
		    (rest < BITS ? rest : BITS) * sizeof(struct ctp_site)))
		return;
	while (open) {
		uint32_t id = first + (uint32_t)__builtin_ctzll(open);

		if (id >= segment->sites_end)
			return;
		if (define_site(segment, id))
			segment->sites_known[word] |= UINT64_C(1) << (id % BITS);
		open &= open - 1;
	}
}

/*
 * Sites are given out in order, but become ready in any order: a thread may be in the middle of interning a site while
 * later ones are ready, and may be killed there.
 */
static void segment_read_sites(struct segment *segment)
{
	uint32_t used = ctp_load_relaxed(&header_of(segment)->sites_used);
	uint32_t word;

	if (used > segment->layout.site_max)
		used = segment->layout.site_max;
	if (used > segment->sites_end)
		segment->sites_end = used;
	if (segment->sites_begin >= segment->sites_end)
		return;
	for (word = segment->sites_begin / BITS; word * BITS < segment->sites_end; word++)
		if (segment->sites_known[word] != UINT64_MAX)
			read_site_word(segment, word);
	while (segment->sites_begin < segment->sites_end && is_known(segment, segment->sites_begin))
		segment->sites_begin++;
}

/* ------------------------------------------------------------------ records */

static void take_run(void *context, struct ring_reader *reader, const struct ring_run *run)
{
	struct segment *segment = context;
	struct ct_batch batch = {
		.stream = reader->stream,
		.thread = run->thread,
		.records = run->records,
		.nr_records = run->nr_records,
	};

	/* Once a drain: the drain passes on no record above the head that it read at its beginning. */
	if (!segment->are_sites_read)
		segment_read_sites(segment);
	segment->are_sites_read = true;
	collect_adopt_note_first(
		segment, (struct segment_ring *)reader, ctp_load_relaxed(&run->records->time));
	if (segment->layout.role == CTP_ROLE_PROBE)
		collect_waited_note(segment->collect->waited, segment->process->number, &batch,
			segment->collect->now_ns);
	collect_output_put(&segment->collect->output, &batch, run->nr_events);
}

static uint32_t take_thread(void *context, uint64_t tid, uint64_t time)
{
	struct segment *segment = context;

	return collect_process_thread_told(segment->collect, segment->process, tid, time);
}

static void take_stop(void *context, uint32_t thread, uint64_t tid, uint64_t time)
{
	struct segment *segment = context;

	collect_process_thread_stopped(segment->process, thread, tid, time);
}

/*
 * Returns whether the probe may overwrite, by its own policy or by our order: such a probe's rings are read with more
 * care.
 */
static bool may_overwrite(const struct segment *segment)
{
	return segment->layout.is_flight || segment->collect->overwrites ||
	       ctp_load_relaxed(&collect_segment_orders(segment)->policy) ==
		       CTP_POLICY_OVERWRITE_OLDEST;
}

void collect_segment_find_rings(struct segment *segment)
{
	uint32_t used = ctp_load_relaxed(&header_of(segment)->rings_used);
	struct collect *collect = segment->collect;

	if (used > segment->layout.ring_max)
		used = segment->layout.ring_max;
	while (segment->rings.count < used) {
		struct ct_definition definition = {.type = CT_DEFINE_STREAM};
		struct segment_ring ring = {0};

		ring.reader.shared = proto_ring(
			&segment->layout, segment->memory.base, (uint32_t)segment->rings.count);
		ring.reader.stream = collect->nr_streams + 1;
		ring.reader.is_overwriting = may_overwrite(segment);
		ring.reader.is_kept = segment->layout.is_flight;
		if (!vec_push(&segment->rings, ring))
			return; /* tried again at the next look; the ring keeps its records */
		collect->nr_streams++;
		definition.stream = (struct ct_define_stream){
			.stream = ring.reader.stream, .segment = segment->number};
		collect_output_define(&collect->output, &definition);
	}
}

static void note_activity(struct segment *segment, uint64_t nr_records, uint64_t nr_moves)
{
	struct process *process = segment->process;

	if (nr_records > 0)
		process->wrote_ns = segment->collect->now_ns;
	if (nr_moves == 0)
		return;
	process->nr_moves += nr_moves;
	process->moved_ns = segment->collect->now_ns;
}

static struct ring_space space_of(const struct segment *segment)
{
	return (struct ring_space){&segment->layout, segment->memory.base,
		segment->collect->scratch,
		segment->memory.descriptor < 0 ? NULL : &segment->memory};
}

/* A ring is counted before its owner writes the first word of the ring. */
static bool was_written(struct segment *segment, struct segment_ring *ring)
{
	const struct ring_space space = space_of(segment);

	if (ring->was_written)
		return true;
	ring->was_written = holds(segment, ring->reader.shared, PRODUCER_LINE_BYTES);
	if (ring->was_written && segment->is_found)
		collect_adopt_ring(segment, &space, ring);
	return ring->was_written;
}

static uint64_t drain_ring(struct segment *segment, struct segment_ring *ring)
{
	const struct ring_space space = space_of(segment);
	const struct ring_consumer consumer = {segment, take_run, take_thread, take_stop};
	struct ring_reader *reader = &ring->reader;
	uint64_t nr_lost_told = reader->nr_told + reader->nr_told_other;
	uint64_t nr_missing = collect_ring_missing(reader);
	uint64_t nr_moves = reader->nr_moves;
	uint64_t nr_records;

	segment->are_sites_read = false;
	nr_records = collect_ring_drain(reader, &space, &consumer);
	collect_output_count_lost(
		&segment->collect->output, reader->nr_told + reader->nr_told_other - nr_lost_told);
	if (collect_ring_missing(reader) != nr_missing)
		collect_waited_forget(segment->collect->waited, segment->process->number);
	note_activity(segment, nr_records, reader->nr_moves - nr_moves);
	return nr_records;
}

static uint64_t drain_up_to(struct segment *segment, uint64_t limit)
{
	uint64_t nr_records = 0;
	size_t i;

	collect_segment_find_rings(segment);
	for (i = 0; i < segment->rings.count && nr_records < limit; i++) {
		struct segment_ring *ring =
			&segment->rings.at[segment->next_ring++ % segment->rings.count];
		uint64_t drained;

		if (!was_written(segment, ring))
			continue;
		drained = drain_ring(segment, ring);
		nr_records += drained;
		if (drained > segment->collect->most_records)
			segment->collect->most_records = drained;
	}
	return nr_records;
}

uint64_t collect_segment_drain(struct segment *segment)
{
	return drain_up_to(segment, SEGMENT_TURN);
}

/* Beyond what the chunks can hold in total there are only false claims. */
uint64_t collect_segment_drain_all(struct segment *segment)
{
	uint64_t room = (uint64_t)segment->layout.chunk_max * CTP_CHUNK_RECORDS;
	uint64_t nr_records = drain_up_to(segment, 2 * room);
	size_t i;

	for (i = 0; nr_records >= 2 * room && i < segment->rings.count; i++)
		if (was_written(segment, &segment->rings.at[i]))
			collect_ring_give_up(&segment->rings.at[i].reader);
	return nr_records;
}

bool collect_segment_has_news(struct segment *segment)
{
	size_t i;

	/* A new ring has records, or will have some at once. */
	if (ctp_load_relaxed(&header_of(segment)->rings_used) > segment->rings.count &&
		segment->rings.count < segment->layout.ring_max)
		return true;
	for (i = 0; i < segment->rings.count; i++) {
		struct segment_ring *ring = &segment->rings.at[i];

		if (was_written(segment, ring) && collect_ring_has_news(&ring->reader))
			return true;
	}
	return false;
}

bool collect_segment_wakes(const struct segment *segment)
{
	return segment->layout.features_compatible & CTP_FEATURE_WAKES;
}

uint32_t *collect_segment_sleeping(const struct segment *segment)
{
	return &collect_segment_orders(segment)->sleeping;
}

/* ------------------------------------------------------------------ attaching and closing */

static struct segment *find_free(struct collect *collect)
{
	size_t i;

	for (i = 0; i < COLLECT_SEGMENTS; i++)
		if (collect->segments[i].number == 0)
			return &collect->segments[i];
	return NULL;
}

static void define_segment(
	struct collect *collect, const struct segment *segment, uint64_t attached)
{
	struct ct_definition definition = {.type = CT_DEFINE_SEGMENT};
	const struct proto_layout *layout = &segment->layout;

	definition.segment = (struct ct_define_segment){
		.segment = segment->number,
		.process = segment->process->number,
		.role = layout->role,
		.clock = layout->clock,
		.attached = attached,
	};
	memcpy(definition.segment.identity, layout->identity, sizeof(layout->identity));
	collect_output_define(&collect->output, &definition);
}

static struct process *find_process(
	struct collect *collect, const struct segment *segment, pid_t pid)
{
	const struct proto_layout *layout = &segment->layout;
	struct process *process = collect_process_find(collect, pid);
	char program[PATH_MAX], command_line[PATH_MAX], parent[PID_DIGITS];
	struct process_facts facts = {.program = program, .command_line = command_line};

	proto_fact(layout, segment->memory.base, "program", program, sizeof(program));
	proto_fact(layout, segment->memory.base, "command", command_line, sizeof(command_line));
	proto_fact(layout, segment->memory.base, "parent", parent, sizeof(parent));
	facts.parent = (pid_t)strtol(parent, NULL, 10);
	if (!process || collect_process_was_replaced(process, layout->attached.monotonic_ns))
		return collect_process_add(collect, pid, &facts);
	collect_process_define(collect, process, &facts);
	return process;
}

enum ct_status collect_segment_take(struct collect *collect, struct segment *segment,
	struct process *process, uint64_t attached, struct ct_error *reterr)
{
	segment->sites_known =
		calloc(segment->layout.site_max / BITS + 1, sizeof(*segment->sites_known));
	if (!segment->sites_known)
		return ct_fail_memory(reterr);
	segment->collect = collect;
	segment->process = process;
	segment->sites_begin = 1;
	segment->number = ++collect->nr_segments;
	process->has_probe |= segment->layout.role == CTP_ROLE_PROBE;
	process->has_ledger |= segment->layout.role == CTP_ROLE_LEDGER;
	process->moved_ns = collect->now_ns;
	collect->has_probe |= process->has_probe;
	collect->has_ledger |= process->has_ledger;
	collect->nr_attached++;
	define_segment(collect, segment, attached);
	return CT_OK;
}

static enum ct_status take_up(
	struct collect *collect, struct segment *segment, pid_t pid, struct ct_error *reterr)
{
	struct process *process = find_process(collect, segment, pid);
	struct ctp_instant attached;

	if (!process)
		return ct_fail(reterr, CT_ERR_REFUSED, "too many processes are traced already");
	segment->settled_ns = clock_monotonic_ns();
	if (segment->is_found && segment->layout.is_flight)
		attached = segment->layout.attached;
	else
		attached = (struct ctp_instant){
			.counter = clock_counter(), .monotonic_ns = segment->settled_ns};
	return collect_segment_take(collect, segment, process,
		segment->layout.clock == CTP_CLOCK_COUNTER ? attached.counter
							   : attached.monotonic_ns,
		reterr);
}

/*
 * gVisor names the asking process itself where Linux names the peer (SO_PEERCRED): then the segment says whose it is,
 * which no peer but one of the same user can have written.
 */
static pid_t pid_of(const struct arrival *arrival, const struct segment *segment)
{
	uint64_t told = segment->layout.pid;

	return arrival->pid == getpid() && told > 0 && told <= INT32_MAX ? (pid_t)told
									 : arrival->pid;
}

static enum ct_status attach(struct collect *collect, struct segment *segment,
	const struct arrival *arrival, struct ct_error *reterr)
{
	enum ct_status status;

	status = collect_memory_map(arrival->memory, &segment->memory, reterr);
	if (status) {
		close(arrival->memory);
		return status;
	}
	status = collect_memory_claim(&segment->memory, reterr);
	if (status == CT_OK)
		status = proto_check(
			segment->memory.base, segment->memory.nr_bytes, &segment->layout, reterr);
	segment->is_found = arrival->is_found;
	if (status == CT_OK)
		status = take_up(collect, segment, pid_of(arrival, segment), reterr);
	if (status == CT_OK)
		return CT_OK;
	collect_memory_unmap(&segment->memory);
	memset(segment, 0, sizeof(*segment));
	return status;
}

/* Events written so far have the time of the attachment, if that can be: no time more than a second ago is believed. */
static void start_clock(struct collect *collect, struct segment *segment)
{
	uint64_t attached_ns = segment->layout.attached.monotonic_ns;

	if (segment->layout.clock != CTP_CLOCK_COARSE)
		return;
	if (collect->now_ns > attached_ns && collect->now_ns - attached_ns > SECOND_NS)
		attached_ns = collect->now_ns;
	collect->nr_stopped_clocks += !collect_coarse_add(
		collect->coarse, &collect_segment_orders(segment)->coarse_time, attached_ns);
	collect->has_coarse = true;
}

enum ct_status collect_attach(
	struct collect *collect, const struct arrival *arrival, struct ct_error *reterr)
{
	struct segment *segment = find_free(collect);
	enum ct_status status;

	if (!segment) {
		collect_images_give_back(collect);
		segment = find_free(collect);
	}
	if (segment) {
		status = attach(collect, segment, arrival, reterr);
	} else {
		close(arrival->memory);
		status = ct_fail(reterr, CT_ERR_REFUSED, "too many segments are attached already");
	}
	if (status)
		return ct_context(reterr, status, "process %d was turned away", (int)arrival->pid);
	collect_segment_order(segment);
	start_clock(collect, segment);
	if (segment->is_found)
		collect_adopt_segment(segment);
	ctp_store_relaxed(&collect_segment_orders(segment)->engine_heartbeat_ns, collect->now_ns);
	ctp_store_relaxed(&collect_segment_orders(segment)->engine_pid, (uint32_t)getpid());
	/* Read at once: a process that lives a millisecond has no mappings later. */
	if (!collect_process_map(collect, segment->process))
		collect_about_map(segment);
	collect_define_clock(collect);
	collect_images_note_arrival(collect, segment);
	return CT_OK;
}

void collect_segment_close(struct segment *segment)
{
	if (segment->collect && segment->collect->coarse)
		collect_coarse_remove(
			segment->collect->coarse, &collect_segment_orders(segment)->coarse_time);
	ctp_store_relaxed(&collect_segment_orders(segment)->engine_pid, 0);
	collect_memory_unmap(&segment->memory);
	vec_fini(&segment->rings);
	free(segment->sites_known);
	memset(segment, 0, sizeof(*segment));
}

/* ------------------------------------------------------------------ orders to the probe (P-18, P-29) */

void collect_segment_order(struct segment *segment)
{
	const struct collect *collect = segment->collect;
	struct ctp_orders *orders = collect_segment_orders(segment);

	ctp_store_relaxed(&orders->categories_off, collect->categories_off);
	/* A flight recorder has a budget and a policy of its own. */
	if (!segment->layout.is_flight) {
		ctp_store_relaxed(&orders->chunks_per_ring, collect->chunks_per_ring);
		ctp_store_relaxed(&orders->policy,
			collect->overwrites ? CTP_POLICY_OVERWRITE_OLDEST : CTP_POLICY_DROP_NEWEST);
	}
	if (collect->is_released)
		collect_segment_unwant(segment);
}

/*
 * Each period in which events are wanted has a number of its own, because nothing is known about the time between
 * periods.
 */
void collect_segment_want(struct segment *segment)
{
	struct ctp_orders *orders = collect_segment_orders(segment);
	uint32_t wanted = ctp_load_relaxed(&orders->wanted);

	if (wanted == 0) {
		wanted = ctp_load_relaxed(&orders->attachments) + 1;
		ctp_store_relaxed(&orders->attachments, wanted);
		wanted <<= CTP_WANTED_BITS;
	}
	ctp_store_relaxed(&orders->wanted, wanted | CTP_WANTED_ENGINE);
}

/* A flight recorder still wants its events. */
void collect_segment_unwant(struct segment *segment)
{
	struct ctp_orders *orders = collect_segment_orders(segment);
	uint32_t wanted = ctp_load_relaxed(&orders->wanted) & ~CTP_WANTED_ENGINE;

	ctp_store_relaxed(&orders->wanted, wanted & CTP_WANTED_FLIGHT ? wanted : 0);
}
