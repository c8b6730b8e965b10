/* SPDX-License-Identifier: MIT */
/*
 * Events that no program would write: kinds, ids, objects, threads and times by chance. The model
 * takes them all, its books still balance afterwards, and the detectors come to an end.
 */
#include <stdbool.h>

#include "analyze.h"
#include "check.h"
#include "model.h"

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
		sites[i] = (struct ct_site){
			.file = i == 1 ? "a.cpp" : "", .function = "", .reason = "", .module = ""};
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

			CHECK_EQUAL(coro->above, above);
			CHECK_EQUAL(coro->thread, i);
			CHECK(coro->flags & MODEL_CORO_ON_STACK);
			above = at;
			at = coro->below;
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

/* ---------------------------------------------------------------- a source of it */

struct random_source {
	struct ct_source source;
	struct ct_event *events;
	size_t at;
};

static enum ct_status next_event(
	struct ct_source *source, const struct ct_event **ret_event, struct ct_error *reterr)
{
	struct random_source *own = (struct random_source *)source;

	(void)reterr;
	if (own->at == EVENTS)
		return CT_END;
	*ret_event = &own->events[own->at++];
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

static const struct ct_source_ops ops = {next_event, reset, close_nothing};

static void round_of(uint64_t seed)
{
	struct random_source own = {.source = {.ops = &ops}};
	const struct ct_report *report = NULL;
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
	}
	CHECK_EQUAL(model_finish(model, NULL), CT_OK);
	check_stacks(model);
	check_counts(model, 1);
	check_counts(model, 2);
	check_files(model);
	CHECK(model->nr_impossible > 0 && model->nr_impossible < EVENTS);
	CHECK_EQUAL(analyze_source(&own.source, NULL, &report, NULL), CT_OK);
	CHECK_EQUAL(report->quality.nr_events, EVENTS);
	analyze_report_free(report);
	model_free(model);
	free(own.events);
}

int main(void)
{
	uint64_t seed;

	for (seed = 1; seed <= ROUNDS; seed++)
		round_of(seed);
	return check_result();
}
