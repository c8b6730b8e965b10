/* SPDX-License-Identifier: MIT */
/*
 * Events that no program would write: random kinds, ids, objects, threads and times. The model accepts them all, its
 * sums still agree afterwards, and the detectors come to an end.
 *
 * Also the states of a coroutine as a machine: each step from each state, and random walks. A valid step is counted
 * nowhere; an invalid one is counted, as broken or as done to a coroutine that is gone.
 */
#include <stdbool.h>

#include "rules/rules.h"
#include "check.h"
#include "lives.h"
#include "model/model.h"

#define EVENTS 20000u
#define ROUNDS 20u

static uint64_t state;

static uint32_t chance(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % below;
}

static uint64_t object_by_chance(void)
{
	static const uint64_t odd[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, 0x1010, 0x2010};

	switch (chance(8)) {
	case 0:
	case 1:
	case 2:
		return CTP_DESCRIPTOR(chance(6), chance(4));
	case 3:
		return CTP_HANDLE(CTP_RESOURCE_COROUTINE, chance(12));
	case 4:
		return CTP_HANDLE(CTP_RESOURCE_FRAME, 0x1000 * chance(6));
	case 5:
		return CTP_HANDLE(chance(14), chance(4));
	case 6:
		return 0x1000 * chance(6) + 0x10;
	default:
		return odd[chance(6)];
	}
}

static struct ct_event event_by_chance(ct_time time, uint64_t sequence)
{
	struct ct_event event = {
		.time = chance(200) ? time : (ct_time)((uint64_t)chance(1u << 31) << chance(33)),
		.coro = chance(20) ? chance(12) : UINT64_MAX - chance(3),
		.object = object_by_chance(),
		.site = chance(4),
		.kind = (uint8_t)(chance(4) ? 1 + chance(64) : 1 + chance(18)),
		.argument = (uint8_t)(chance(10) ? chance(5) : chance(256)),
		.flags = (uint16_t)chance(4),
		.process = chance(40) ? 1 + chance(2) : chance(5),
		.sequence = sequence,
	};

	event.thread = event.process == 2 ? 3 : chance(30) ? 1 + chance(2) : chance(6);
	return event;
}

/* ---------------------------------------------------------------- the tables */

static struct ct_process processes[3];
static struct ct_thread threads[4];
static struct ct_site sites[3];

static struct ct_tables make_tables(void)
{
	struct ct_tables tables = {
		.host = "",
		.clock = "",
		.observed_from = 0,
		.observed_until = 2000000000,
		.processes = processes,
		.nr_processes = 3,
		.threads = threads,
		.nr_threads = 4,
		.sites = sites,
		.nr_sites = 3,
	};
	uint32_t i;

	for (i = 0; i < 3; i++) {
		processes[i] = (struct ct_process){.pid = i,
			.program = "",
			.command_line = "",
			.attached = 0,
			.ended = chance(2) ? CT_NO_TIME : 1500000000,
			.ending = (enum ct_ending)chance(4),
			.ending_value = chance(2) ? 11 : 15,
			.has_probe = true,
			.has_ledger = chance(2)};
		sites[i] = (struct ct_site){.file = i == 1 ? "a.cpp" : "",
			.function = "",
			.reason = "",
			.module = "",
			.callers = ""};
	}
	for (i = 0; i < 4; i++)
		threads[i] = (struct ct_thread){.process = i == 3 ? 2 : 1,
			.tid = i,
			.name = "",
			.started = CT_NO_TIME,
			.stopped = CT_NO_TIME};
	return tables;
}

/* ---------------------------------------------------------------- the books */

static void check_stacks(const struct model *model)
{
	size_t nr_linked = 0, nr_flagged = 0, i;

	for (i = 0; i < model->nr_threads; i++) {
		uint32_t above = 0, at = model->threads[i].top;

		while (at && nr_linked <= model->coros.count) {
			const struct model_coro *coro = &model->coros.at[at];

			CHECK_EQUAL(coro->rare->above, above);
			CHECK_EQUAL(coro->thread, i);
			CHECK(coro->flags & MODEL_CORO_ON_STACK);
			above = at;
			at = coro->rare->below;
			nr_linked++;
		}
	}
	for (i = 1; i < model->coros.count; i++)
		nr_flagged += !!(model->coros.at[i].flags & MODEL_CORO_ON_STACK);
	CHECK_EQUAL(nr_linked, nr_flagged);
}

static void check_counts(const struct model *model, uint32_t process)
{
	uint64_t nr_ready = 0, nr_hidden = 0, nr_open = 0;
	size_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (coro->process != process)
			continue;
		nr_ready += coro->state == CT_STATE_READY;
		nr_hidden += !!(coro->flags & MODEL_CORO_IS_HIDDEN);
	}
	for (i = 1; i < model->descriptors.count; i++)
		nr_open += model->descriptors.at[i].process == process &&
			   (model->descriptors.at[i].flags & MODEL_DESCRIPTOR_IS_OPEN);
	CHECK_EQUAL(model->processes[process].nr_ready, nr_ready);
	CHECK_EQUAL(model->processes[process].nr_hidden, nr_hidden);
	CHECK_EQUAL(model->processes[process].nr_open, nr_open);
}

static void check_files(const struct model *model)
{
	uint32_t *nr_copies = calloc(model->descriptors.count, sizeof(*nr_copies));
	size_t i;

	for (i = 1; i < model->descriptors.count; i++) {
		const struct model_descriptor *descriptor = &model->descriptors.at[i];
		bool is_open = descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN;

		nr_copies[descriptor->file] += is_open;
		CHECK_EQUAL(descriptor->closed == CT_NO_TIME, is_open);
	}
	for (i = 1; i < model->descriptors.count; i++)
		if (model->descriptors.at[i].file == i) {
			CHECK_EQUAL(model->descriptors.at[i].nr_copies, nr_copies[i]);
			CHECK_EQUAL(model->descriptors.at[i].file_closed == CT_NO_TIME,
				nr_copies[i] > 0);
		}
	free(nr_copies);
}

/* ---------------------------------------------------------------- a random source */

struct random_source {
	struct ct_source source;
	struct ct_event *events;
	size_t at;
};

static enum ct_status next_event(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct random_source *own = (struct random_source *)source;

	(void)reterr;
	if (own->at == EVENTS)
		return CT_END;
	*events = (struct ct_events){.at = &own->events[own->at++], .count = 1};
	return CT_OK;
}

static enum ct_status reset(struct ct_source *source, struct ct_error *reterr)
{
	(void)reterr;
	((struct random_source *)source)->at = 0;
	return CT_OK;
}

static void close_nothing(struct ct_source *source)
{
	(void)source;
}

static const struct ct_source_ops ops = {
	.next = next_event, .reset = reset, .close = close_nothing};

static void round_of(uint64_t seed)
{
	struct random_source own = {.source = {.ops = &ops}};
	const struct ct_report *report = NULL;
	struct lives lives = {0};
	struct ct_tables tables;
	struct model *model;
	ct_time time = 0;
	size_t i;

	state = seed;
	tables = make_tables();
	own.source.tables = &tables;
	own.events = calloc(EVENTS, sizeof(*own.events));
	CHECK_EQUAL(model_new(&tables, &model, NULL), CT_OK);
	for (i = 0; i < EVENTS; i++) {
		time += chance(1000) ? chance(2000) : chance(90000000);
		own.events[i] = event_by_chance(time, i);
		CHECK_EQUAL(model_apply(model, &own.events[i], NULL), CT_OK);
		lives_note(&lives, model, &own.events[i]);
	}
	CHECK_EQUAL(model_finish(model, NULL), CT_OK);
	CHECK(lives_check(&lives, model));
	check_stacks(model);
	check_counts(model, 1);
	check_counts(model, 2);
	check_files(model);
	CHECK(model->nr_impossible > 0 && model->nr_impossible < EVENTS);
	CHECK_EQUAL(rules_judge(&own.source, NULL, NULL, &report, NULL), CT_OK);
	CHECK_EQUAL(report->quality.nr_events, EVENTS);
	analyze_report_free(report);
	model_free(model);
	free(own.events);
}

/* ---------------------------------------------------------------- the machine */

enum step {
	STEP_CREATE,
	STEP_RESUME,
	STEP_ENTER, /* by a switch */
	STEP_SUSPEND,
	STEP_LEAVE, /* by a switch */
	STEP_FINAL,
	STEP_CANCEL,
	STEP_RETURN,
	STEP_DESTROY,
	STEP_ENQUEUE,
	STEP_ACQUIRE,
	STEP_WAKE,
	STEP_PREEMPT,
	STEP_SYSCALL,
	STEP_SYSCALL_END,
	STEP_SYSCALL_LOST, /* the end of the call, with the processor taken away */
	NR_STEPS,
};

/* In the order of enum ct_state: unseen, ready, running, waiting, syscall, done, destroyed. P-101, P-105. */
static const char leads_on[NR_STEPS][8] = {
	[STEP_CREATE] = ".......",
	[STEP_RESUME] = "xx.x...",
	[STEP_ENTER] = "xx.x...",
	[STEP_SUSPEND] = "x.x....",
	[STEP_LEAVE] = "x.x..x.",
	[STEP_FINAL] = "x.x..x.",
	[STEP_CANCEL] = "xx.x...",
	[STEP_RETURN] = "x.x....",
	[STEP_DESTROY] = "xxxxxx.",
	[STEP_ENQUEUE] = "xxxxx..",
	[STEP_ACQUIRE] = "xxxxxx.",
	[STEP_WAKE] = "xxxxxx.",
	[STEP_PREEMPT] = "x.x....",
	[STEP_SYSCALL] = "x.x....",
	[STEP_SYSCALL_END] = "x...x..",
	[STEP_SYSCALL_LOST] = "x...x..",
};

/* The state after a step. A coroutine that was queued while it ran is ready once it waits. */
static enum ct_state state_after(enum ct_state before, enum step step, bool is_queued)
{
	if (before == CT_STATE_DESTROYED)
		return before;
	switch (step) {
	case STEP_RESUME:
	case STEP_ENTER:
		return CT_STATE_RUNNING;
	case STEP_LEAVE:
		if (before == CT_STATE_DONE)
			return before;
		return is_queued ? CT_STATE_READY : CT_STATE_WAITING;
	case STEP_SUSPEND:
		return is_queued ? CT_STATE_READY : CT_STATE_WAITING;
	case STEP_FINAL:
	case STEP_RETURN:
		return CT_STATE_DONE;
	case STEP_SYSCALL:
		return CT_STATE_SYSCALL;
	case STEP_SYSCALL_END:
		return CT_STATE_RUNNING;
	case STEP_SYSCALL_LOST:
		return CT_STATE_READY;
	case STEP_PREEMPT:
		return CT_STATE_READY;
	case STEP_CANCEL:
		return leads_on[step][before] == 'x' ? CT_STATE_RUNNING : before;
	case STEP_DESTROY:
		return CT_STATE_DESTROYED;
	case STEP_ENQUEUE:
	case STEP_WAKE:
		return before == CT_STATE_WAITING ? CT_STATE_READY : before;
	default:
		return before;
	}
}

static struct ct_event event_of(enum step step, uint64_t id)
{
	static const uint8_t kinds[NR_STEPS] = {CTP_KIND_CREATE, CTP_KIND_RESUME, CTP_KIND_SWITCH,
		CTP_KIND_SUSPEND, CTP_KIND_SWITCH, CTP_KIND_SUSPEND, CTP_KIND_CANCEL,
		CTP_KIND_RETURN, CTP_KIND_DESTROY, CTP_KIND_ENQUEUE, CTP_KIND_ACQUIRE,
		CTP_KIND_WAKE, CTP_KIND_SUSPEND, CTP_KIND_SYSCALL_BEGIN, CTP_KIND_SYSCALL_END,
		CTP_KIND_SYSCALL_END};
	struct ct_event event = {.kind = kinds[step], .coro = id, .process = 1, .thread = 1};

	if (step == STEP_FINAL)
		event.argument = CTP_POINT_FINAL;
	if (step == STEP_PREEMPT)
		event.argument = CTP_POINT_PREEMPTED;
	if (step == STEP_SYSCALL_LOST)
		event.flags = CTP_SYSCALL_READY;
	if (step == STEP_ENTER || step == STEP_WAKE)
		event.coro = 0;
	if (step == STEP_ENTER)
		event.object = id;
	if (step == STEP_WAKE)
		event.object = CTP_HANDLE(CTP_RESOURCE_COROUTINE, id);
	if (step == STEP_ACQUIRE)
		event.object = CTP_HANDLE(CTP_RESOURCE_LOCK, 0x5000);
	return event;
}

/* One coroutine of one model, and its expected state. */
struct machine {
	struct model *model;
	uint64_t id;
	ct_time time;
	enum ct_state state;
	bool is_queued; /* since it began to run, or by its own wake */
};

static uint64_t nr_told(const struct model *model)
{
	return model->nr_broken + model->ghosts.count;
}

static void apply(struct machine *machine, struct ct_event event)
{
	event.time = machine->time += 1000000;
	event.sequence = (uint64_t)event.time;
	CHECK_EQUAL(model_apply(machine->model, &event, NULL), CT_OK);
}

static void take_step(struct machine *machine, enum step step)
{
	bool is_expected = leads_on[step][machine->state] == 'x';
	enum ct_state after = state_after(machine->state, step, machine->is_queued);
	uint64_t before = nr_told(machine->model);

	apply(machine, event_of(step, machine->id));
	CHECK_EQUAL(nr_told(machine->model) > before, !is_expected);
	CHECK_EQUAL(
		machine->model->coros.at[model_find(machine->model, 1, machine->id)].state, after);
	if (step == STEP_ENQUEUE || step == STEP_WAKE)
		machine->is_queued = machine->state == CT_STATE_RUNNING;
	else if (step == STEP_RESUME || step == STEP_ENTER || after != machine->state)
		machine->is_queued = false;
	machine->state = after;
}

static struct machine open_machine(const struct ct_tables *tables)
{
	struct machine machine = {.time = 1000};

	CHECK_EQUAL(model_new(tables, &machine.model, NULL), CT_OK);
	return machine;
}

static void begin_coro(struct machine *machine, uint64_t id)
{
	machine->id = id;
	machine->state = CT_STATE_UNSEEN;
	machine->is_queued = false;
	apply(machine, event_of(STEP_CREATE, id));
}

/* Each step from each state, by the shortest way there. */
static void test_steps(void)
{
	static const enum step ways[][5] = {
		[CT_STATE_UNSEEN] = {NR_STEPS},
		[CT_STATE_READY] = {STEP_RESUME, STEP_SUSPEND, STEP_WAKE, NR_STEPS},
		[CT_STATE_RUNNING] = {STEP_RESUME, NR_STEPS},
		[CT_STATE_WAITING] = {STEP_RESUME, STEP_SUSPEND, NR_STEPS},
		[CT_STATE_SYSCALL] = {STEP_RESUME, STEP_SYSCALL, NR_STEPS},
		[CT_STATE_DONE] = {STEP_RESUME, STEP_RETURN, NR_STEPS},
		[CT_STATE_DESTROYED] = {STEP_RESUME, STEP_RETURN, STEP_DESTROY, NR_STEPS},
	};
	struct ct_tables tables = make_tables();
	unsigned from, step, i;

	for (from = CT_STATE_UNSEEN; from <= CT_STATE_DESTROYED; from++) {
		for (step = 0; step < NR_STEPS; step++) {
			struct machine machine = open_machine(&tables);

			begin_coro(&machine, 7);
			for (i = 0; ways[from][i] != NR_STEPS; i++)
				take_step(&machine, ways[from][i]);
			CHECK_EQUAL(nr_told(machine.model), 0);
			CHECK_EQUAL(machine.state, from);
			take_step(&machine, (enum step)step);
			model_free(machine.model);
		}
	}
}

/* Random steps; most walks end with the coroutine's destruction, and go on a little after it. */
static void test_walks(void)
{
	struct ct_tables tables = make_tables();
	struct machine machine = open_machine(&tables);
	uint64_t id;
	unsigned i;

	for (id = 1; id < 60; id++) {
		begin_coro(&machine, id);
		for (i = 0; i < 20; i++)
			take_step(&machine, (enum step)chance(chance(8) ? STEP_DESTROY : NR_STEPS));
	}
	CHECK_EQUAL(model_finish(machine.model, NULL), CT_OK);
	check_stacks(machine.model);
	check_counts(machine.model, 1);
	model_free(machine.model);
}

/* A second thread's resume without a suspend in between is counted at the end at the latest. */
static void test_second_resume(void)
{
	struct ct_tables tables = make_tables();
	struct machine machine = open_machine(&tables);
	struct ct_event event = event_of(STEP_RESUME, 7);

	begin_coro(&machine, 7);
	take_step(&machine, STEP_RESUME);
	event.thread = 2;
	apply(&machine, event);
	CHECK_EQUAL(model_finish(machine.model, NULL), CT_OK);
	CHECK_EQUAL(nr_told(machine.model), 1);
	CHECK_EQUAL(machine.model->conflicts.count, 2);
	CHECK(!machine.model->conflicts.at[1].is_explained);
	model_free(machine.model);
}

int main(void)
{
	uint64_t seed;

	test_steps();
	test_walks();
	test_second_resume();
	for (seed = 1; seed <= ROUNDS; seed++)
		round_of(seed);
	return check_result();
}
