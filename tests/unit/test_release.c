/* SPDX-License-Identifier: MIT */
/*
 * Records of things that ended long ago are released: a million coroutines and descriptors that come and go leave a few
 * thousand records, and the report does not depend on it, even if one is named again long after its end.
 */
#include "rules/rules.h"
#include "check.h"
#include "model/model.h"
#include "sparing.h"

/* ---------------------------------------------------------------- sources of events */

static struct ct_process processes[2] = {{0}, {.pid = 7,
						      .program = "",
						      .command_line = "",
						      .ended = CT_NO_TIME,
						      .has_probe = true,
						      .has_ledger = true}};
static struct ct_thread threads[3];
static struct ct_site sites[8];
static struct ct_tables tables;

static void make_tables(void)
{
	static char reasons[8][8];
	uint32_t i;

	for (i = 0; i < 8; i++) {
		snprintf(reasons[i], sizeof(reasons[i]), "at-%u", i);
		sites[i] = (struct ct_site){.process = 1,
			.file = "",
			.function = "",
			.reason = reasons[i],
			.callers = "",
			.module = ""};
	}
	for (i = 0; i < 3; i++)
		threads[i] = (struct ct_thread){.process = 1,
			.tid = i,
			.name = "",
			.started = CT_NO_TIME,
			.stopped = CT_NO_TIME};
	tables = (struct ct_tables){.host = "",
		.clock = "",
		.observed_from = 0,
		.observed_until = INT64_C(60000000000),
		.processes = processes,
		.nr_processes = 2,
		.threads = threads,
		.nr_threads = 3,
		.sites = sites,
		.nr_sites = 8,
		.is_complete = true};
}

/* A source that makes its events from their numbers, or hands on stored ones. */
struct made {
	struct ct_source source;
	struct ct_event (*make)(const struct made *made, uint64_t number);
	uint64_t count;
	uint64_t nr_lives;       /* of which the events tell */
	struct ct_event *stored; /* or they are */
	struct ct_event event;
	uint64_t at;
	uint64_t nr_readings;
};

static enum ct_status next_made(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct made *made = (struct made *)source;

	(void)reterr;
	if (made->at == made->count)
		return CT_END;
	made->event = made->stored ? made->stored[made->at] : made->make(made, made->at);
	made->event.sequence = made->at++;
	*events = (struct ct_events){.at = &made->event, .count = 1};
	return CT_OK;
}

static enum ct_status reset_made(struct ct_source *source, struct ct_error *reterr)
{
	(void)reterr;
	((struct made *)source)->at = 0;
	((struct made *)source)->nr_readings++;
	return CT_OK;
}

static void close_nothing(struct ct_source *source)
{
	(void)source;
}

static const struct ct_source_ops ops = {
	.next = next_made, .reset = reset_made, .close = close_nothing};

static struct model *fold(struct made *made)
{
	const struct ct_event *event;
	struct model *model;

	CHECK_EQUAL(model_new(&tables, &model, NULL), CT_OK);
	while (source_next(&made->source, &event, NULL) == CT_OK)
		CHECK_EQUAL(model_apply(model, event, NULL), CT_OK);
	CHECK_EQUAL(model_finish(model, NULL), CT_OK);
	return model;
}

/* ---------------------------------------------------------------- a million */

#define STEPS_OF_LIFE 6u
#define LIVES 1000000u

/* The life of a connection: it is accepted, served by a coroutine of its own, and closed. */
static struct ct_event step_of_life(const struct made *made, uint64_t number)
{
	uint64_t life = number / STEPS_OF_LIFE, id = life + life / (CTP_ID_BLOCK - 1) + 1;
	uint64_t connection = life % 100 == 0 && life <= 400
				      ? CTP_DESCRIPTOR(77, life / 100)
				      : CTP_DESCRIPTOR(20 + life % 3, life / 3 + 1);
	struct ct_event steps[STEPS_OF_LIFE] = {
		{.kind = CTP_KIND_DESCRIPTOR_OPEN, .object = connection},
		{.kind = CTP_KIND_CREATE, .coro = id, .object = 0x100000 + life % 4 * 0x1000},
		{.kind = CTP_KIND_FRAME, .coro = id, .object = 0x100010 + life % 4 * 0x1000},
		{.kind = CTP_KIND_RESUME, .coro = id},
		{.kind = CTP_KIND_DESCRIPTOR_CLOSE, .object = connection},
		{.kind = CTP_KIND_DESTROY, .coro = id},
	};
	struct ct_event event = steps[number % STEPS_OF_LIFE];

	(void)made;
	event.time = (ct_time)(number * 5 + 5);
	event.process = event.thread = 1;
	event.site = 1 + (uint32_t)(number % STEPS_OF_LIFE);
	return event;
}

static void test_million(void)
{
	struct made made = {.source = {.ops = &ops, .tables = &tables},
		.make = step_of_life,
		.count = (uint64_t)LIVES * STEPS_OF_LIFE};
	struct model *model = fold(&made);
	int64_t spent = 0;
	size_t i;

	CHECK(model->coros.count < 3 * MODEL_ENDED);
	CHECK(model->descriptors.count < 3 * MODEL_ENDED);
	CHECK(model->pages.count < 3 * MODEL_ENDED / MODEL_PAGE_IDS);
	/* One id of a block is never given out. */
	CHECK(model->processes[1].gone.count <= 2 * (LIVES / CTP_ID_BLOCK + 2));
	CHECK(model->processes[1].frames.count == 4 && model->processes[1].addresses.count <= 4);
	CHECK_EQUAL(model->asked.count, 0);
	CHECK_EQUAL(model->ended.count + model->coros.count - 1, LIVES);
	CHECK_EQUAL(model->processes[1].nr_opened, LIVES);
	CHECK_EQUAL(model->place_times[2]->nr_started, LIVES);
	CHECK_EQUAL(model->nr_frames_reused, 4);
	/* Each of the coroutines runs for two steps. */
	for (i = 1; i < model->coros.count; i++)
		spent += model_spent(model, &model->coros.at[i], CT_STATE_RUNNING);
	CHECK_EQUAL(model->ended.spent[CT_STATE_RUNNING] + spent, (int64_t)LIVES * 2 * 5);
	model_free(model);
}

/* ---------------------------------------------------------------- named again */

#define SOME_LIVES 30000u
#define LONG_GONE 500u

/* An unusual event, after all the others or in the middle of them. */
static struct ct_event late(const struct made *made, struct ct_event event)
{
	event.time = (ct_time)((made->count + 1) * 5);
	event.process = event.thread = 1;
	event.site = 7;
	return event;
}

static struct ct_event resumed_late(const struct made *made, uint64_t number)
{
	if (number + 1 < made->count)
		return step_of_life(made, number);
	return late(made, (struct ct_event){.kind = CTP_KIND_RESUME, .coro = LONG_GONE});
}

static struct ct_event woken_late(const struct made *made, uint64_t number)
{
	if (number + 1 < made->count)
		return step_of_life(made, number);
	return late(made, (struct ct_event){.kind = CTP_KIND_WAKE,
				  .object = CTP_HANDLE(CTP_RESOURCE_COROUTINE, LONG_GONE)});
}

/* A wake-up that names a frame at which no coroutine's frame lies any more. */
static struct ct_event woken_late_by_frame(const struct made *made, uint64_t number)
{
	struct ct_event event = woken_late(made, number);

	if (event.kind == CTP_KIND_FRAME && event.coro == LONG_GONE)
		event.object = 0x777770;
	if (event.kind == CTP_KIND_WAKE)
		event.object = CTP_HANDLE(CTP_RESOURCE_FRAME, 0x777770);
	return event;
}

static void check_ghost(struct ct_event (*make)(const struct made *, uint64_t), uint8_t grade)
{
	struct made made = {.source = {.ops = &ops, .tables = &tables},
		.make = make,
		.count = (uint64_t)SOME_LIVES * STEPS_OF_LIFE + 1};
	const struct ct_report *report;

	CHECK_EQUAL(rules_judge(&made.source, NULL, NULL, &report, NULL), CT_OK);
	CHECK_EQUAL(report->nr_findings, 1);
	CHECK_EQUAL(report->findings[0].rule, CT_RULE_RESUME_AFTER_DESTROY);
	CHECK_EQUAL(report->findings[0].grade, grade);
	CHECK_EQUAL(report->findings[0].members[0].coro.id, LONG_GONE);
	CHECK_EQUAL(report->findings[0].members[0].coro.nr_resumes, 1);
	CHECK(report->findings[0].members[0].nr_events >= 4);
	CHECK_EQUAL(report->quality.nr_coros, SOME_LIVES);
	CHECK_EQUAL(report->nr_remarks, 0);
	/* Two readings fold, one gathers the evidence, and a fourth proves claims. */
	CHECK_EQUAL(made.nr_readings, grade == CT_GRADE_PROVEN ? 4 : 3);
	analyze_report_free(report);
}

/* The last one waits for a descriptor that was closed long ago, and whose number was given out again some times. */
static struct ct_event waits_late(const struct made *made, uint64_t number)
{
	if (number + 3 < made->count)
		return step_of_life(made, number);
	if (number + 3 == made->count)
		return late(made, (struct ct_event){.kind = CTP_KIND_CREATE, .coro = 900000});
	if (number + 2 == made->count)
		return late(made, (struct ct_event){.kind = CTP_KIND_RESUME, .coro = 900000});
	return late(made,
		(struct ct_event){
			.kind = CTP_KIND_SUSPEND, .coro = 900000, .object = CTP_DESCRIPTOR(77, 1)});
}

static void test_descriptor_named_late(void)
{
	struct made made = {.source = {.ops = &ops, .tables = &tables},
		.make = waits_late,
		.count = (uint64_t)SOME_LIVES * STEPS_OF_LIFE + 3};
	const struct ct_report *report;

	processes[1].ending = CT_ENDING_EXITED;
	processes[1].ended = INT64_C(60000000000);
	CHECK_EQUAL(rules_judge(&made.source, NULL, NULL, &report, NULL), CT_OK);
	CHECK_EQUAL(report->nr_findings, 1);
	CHECK_EQUAL(report->findings[0].rule, CT_RULE_CLOSED_DESCRIPTOR);
	CHECK_EQUAL(report->findings[0].grade, CT_GRADE_PROVEN);
	CHECK_EQUAL(report->findings[0].cause_site, 5);
	CHECK_EQUAL(report->findings[0].members[0].cause.coro, 101);
	analyze_report_free(report);
	processes[1].ending = CT_ENDING_UNKNOWN;
	processes[1].ended = CT_NO_TIME;
}

/* Where the source can be read only once, the report says that something could not be judged. */
static void test_not_read_again(void)
{
	struct made made = {.source = {.ops = &ops, .tables = &tables},
		.make = resumed_late,
		.count = (uint64_t)SOME_LIVES * STEPS_OF_LIFE + 1};
	struct model *model = fold(&made);

	CHECK_EQUAL(model->asked.count, 1);
	CHECK_EQUAL(model->asked.at[0].name, LONG_GONE);
	CHECK_EQUAL(model->nr_unjudged, 1);
	CHECK(model_is_gone(model, 1, 600) && !model_is_gone(model, 1, 900000));
	CHECK_EQUAL(model->coros.at[model_find(model, 1, LONG_GONE)].state, CT_STATE_DESTROYED);
	model_free(model);
}

/* Two processes had the same number one after the other, and the older one has that id, too. */
static struct ct_event life_of_second(const struct made *made, uint64_t number)
{
	struct ct_event event;

	if (number == 0)
		return (struct ct_event){.kind = CTP_KIND_CREATE,
			.process = 1,
			.thread = 1,
			.coro = LONG_GONE,
			.time = 1};
	event = step_of_life(made, number - 1);
	event.process = event.thread = 2;
	return event;
}

static void test_remote(void)
{
	struct ct_process own_processes[3] = {processes[0], processes[1], processes[1]};
	struct ct_thread own_threads[3] = {threads[0], threads[1], threads[2]};
	struct ct_tables own = tables;
	struct made made = {.source = {.ops = &ops, .tables = &own},
		.make = life_of_second,
		.count = (uint64_t)SOME_LIVES * STEPS_OF_LIFE + 1};
	const struct ct_event *event;
	struct model *model;

	own_threads[2].process = 2;
	own.processes = own_processes;
	own.threads = own_threads;
	own.nr_processes = 3;
	CHECK_EQUAL(model_new(&own, &model, NULL), CT_OK);
	while (source_next(&made.source, &event, NULL) == CT_OK)
		CHECK_EQUAL(model_apply(model, event, NULL), CT_OK);
	CHECK(model_find(model, 1, LONG_GONE) != 0 && model_is_gone(model, 2, LONG_GONE));
	CHECK_EQUAL(model_find_remote(model, CTP_REMOTE(7, LONG_GONE)), 0);
	CHECK_EQUAL(model_find_remote(model, CTP_REMOTE(7, 900000)), 0);
	model_free(model);
}

/* ---------------------------------------------------------------- what watchers keep */

#define TELLING 1000u

struct watched {
	uint32_t first; /* of those that are kept: its index */
	uint64_t nr_runs;
};

static bool count_run(struct model_watch *watch, const struct model_sight *sight)
{
	struct watched *watched = watch->memory;
	uint32_t *nr_runs = model_watch_coro(watch, sight->coro);

	*nr_runs += 1;
	watched->nr_runs++;
	if (!watched->first && watch->model->coros.at[sight->coro].id == LONG_GONE)
		watched->first = sight->coro;
	return true;
}

static bool keep_some(const struct model_watch *watch, uint32_t coro)
{
	return watch->model->coros.at[coro].id % TELLING == 0;
}

static void visit_first(
	struct model_watch *watch, struct release *release, model_visitor *visit_coro)
{
	struct watched *watched = watch->memory;

	visit_coro(release, &watched->first, MODEL_MARK_WHOLE);
}

/* What a watcher keeps of coroutines moves with them; those that are named, or asked for, stay. */
static void test_watcher(void)
{
	static const struct model_watcher watcher = {.nr_bytes = sizeof(struct watched),
		.nr_coro_bytes = sizeof(uint32_t),
		.looks = {[MODEL_RUN] = count_run},
		.visit = visit_first,
		.keeps = keep_some};
	struct made made = {.source = {.ops = &ops, .tables = &tables},
		.make = step_of_life,
		.count = (uint64_t)SOME_LIVES * STEPS_OF_LIFE};
	const struct ct_event *event;
	const struct watched *watched;
	struct model_watch *watch;
	struct model *model;
	uint32_t i;

	CHECK_EQUAL(model_new(&tables, &model, NULL), CT_OK);
	watch = model_watch(model, &watcher, NULL);
	CHECK(watch != NULL);
	while (source_next(&made.source, &event, NULL) == CT_OK)
		CHECK_EQUAL(model_apply(model, event, NULL), CT_OK);
	watched = watch->memory;
	CHECK(model->ended.count > 0);
	CHECK_EQUAL(watched->nr_runs, SOME_LIVES);
	CHECK_EQUAL(model->coros.at[watched->first].id, LONG_GONE);
	CHECK(model_find(model, 1, TELLING) != 0 && !model_find(model, 1, TELLING + 1));
	for (i = 1; i < model->coros.count; i++)
		CHECK_EQUAL(*(uint32_t *)model_watch_coro(watch, i), model->coros.at[i].nr_resumes);
	model_free(model);
}

/* ---------------------------------------------------------------- no room */

#define CROWD 30000u

static struct ct_event step_of_crowd(const struct made *made, uint64_t number)
{
	static const uint8_t kinds[] = {CTP_KIND_CREATE, CTP_KIND_RESUME, CTP_KIND_SUSPEND};

	(void)made;
	return (struct ct_event){.time = 1000 + (ct_time)number * 1000,
		.process = 1,
		.thread = 1,
		.coro = 1 + number / 3,
		.kind = kinds[number % 3]};
}

static const struct ct_report *judge_crowd(uint64_t most_bytes)
{
	struct made made = {.source = {.ops = &ops, .tables = &tables, .most_bytes = most_bytes},
		.make = step_of_crowd,
		.count = CROWD * 3};
	const struct ct_report *report;

	CHECK_EQUAL(rules_judge(&made.source, NULL, NULL, &report, NULL), CT_OK);
	return report;
}

/* Coroutines that find no room are left out, and their events are a loss; the others stay as they were. */
static void test_no_room(void)
{
	const struct ct_report *all = judge_crowd(UINT64_C(64) << 20);
	const struct ct_report *part = judge_crowd(UINT64_C(1) << 20);
	const struct ct_quality *quality = &part->quality;

	CHECK_EQUAL(all->quality.nr_lost, 0);
	CHECK_EQUAL(all->quality.nr_coros, CROWD);
	CHECK(quality->nr_coros >= 1000 && quality->nr_coros <= CROWD / 2);
	CHECK_EQUAL(quality->nr_by_state[CT_STATE_WAITING], quality->nr_coros);
	CHECK_EQUAL(quality->nr_events, CROWD * 3);
	CHECK_EQUAL(quality->nr_lost, (CROWD - quality->nr_coros) * 3);
	CHECK_EQUAL(quality->nr_losses, 1);
	CHECK_EQUAL(quality->losses[0].reason, CTP_LOSS_NO_ROOM);
	CHECK_EQUAL(quality->losses[0].count, quality->nr_lost);
	CHECK_EQUAL(quality->losses[0].first, 1000 + (ct_time)quality->nr_coros * 3000);
	CHECK_EQUAL(quality->losses[0].last, (ct_time)CROWD * 3000);
	analyze_report_free(all);
	analyze_report_free(part);
}

/* ---------------------------------------------------------------- asked about */

static void test_why(void)
{
	struct made made = {.source = {.ops = &ops, .tables = &tables},
		.make = step_of_life,
		.count = (uint64_t)SOME_LIVES * STEPS_OF_LIFE};
	struct ct_analyze_options options = {.size = sizeof(options), .why_coro = 9};
	const struct ct_report *report;

	CHECK_EQUAL(rules_judge(&made.source, &options, NULL, &report, NULL), CT_OK);
	CHECK_EQUAL(report->why_coro.id, 9);
	CHECK_EQUAL(report->why_coro.state, CT_STATE_DESTROYED);
	CHECK_EQUAL(report->why_coro.spawn_site, 2);
	analyze_report_free(report);
}

/* ---------------------------------------------------------------- by chance */

#define EVENTS 1500u
#define ROUNDS 3u
#define WINDOW 24u

static uint64_t state;

static uint32_t chance(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % below;
}

static bool is_over[EVENTS + 2]; /* by id: it was destroyed */
static uint32_t sloppiness;      /* one in so many names one of long ago */

/* Mostly one of the newest coroutines that are still alive; seldom one that is not. */
static uint64_t id_by_chance(uint64_t newest)
{
	uint64_t id = newest;
	unsigned tries;

	if (chance(sloppiness) == 0)
		return 1 + chance((uint32_t)newest);
	for (tries = 0; tries < 8; tries++) {
		uint64_t back = chance(WINDOW);

		id = newest > back ? newest - back : 1;
		if (!is_over[id] || chance(sloppiness) == 0)
			break;
	}
	return is_over[id] ? newest : id;
}

static uint64_t object_by_chance(uint64_t newest)
{
	switch (chance(8)) {
	case 0:
	case 1:
		return CTP_DESCRIPTOR(chance(6), chance(2) ? 0 : newest / 8 - chance(3));
	case 2:
		return CTP_HANDLE(CTP_RESOURCE_COROUTINE, id_by_chance(newest));
	case 3:
		return CTP_HANDLE(CTP_RESOURCE_FRAME, 0x1000 * chance(40));
	case 4:
	case 5:
		return CTP_HANDLE(CTP_RESOURCE_LOCK, 0x10 * chance(6));
	default:
		return CTP_HANDLE(chance(14), chance(6));
	}
}

static struct ct_event any_event(uint64_t newest)
{
	static const uint8_t common[] = {CTP_KIND_RESUME, CTP_KIND_SUSPEND, CTP_KIND_WAKE,
		CTP_KIND_RESUME, CTP_KIND_SUSPEND, CTP_KIND_DESTROY, CTP_KIND_FRAME,
		CTP_KIND_ACQUIRE, CTP_KIND_RELEASE, CTP_KIND_DESCRIPTOR_OPEN,
		CTP_KIND_DESCRIPTOR_CLOSE, CTP_KIND_PARK, CTP_KIND_UNPARK};
	struct ct_event event = {
		.coro = id_by_chance(newest),
		.object = object_by_chance(newest),
		.kind = chance(3) ? common[chance(sizeof(common))] : (uint8_t)(1 + chance(64)),
		.argument = (uint8_t)chance(5),
		.flags = (uint16_t)chance(4),
	};

	if (event.kind == CTP_KIND_AWAIT || event.kind == CTP_KIND_AWAIT_DONE ||
		event.kind == CTP_KIND_SWITCH)
		event.object = id_by_chance(newest);
	if (event.kind == CTP_KIND_FRAME)
		event.object = 0x1000 * (event.coro * 7 % 40);
	/* Losses would silence what is to be compared, and a lost event's time stands where ids do. */
	if (event.kind == CTP_KIND_LOST || event.kind == CTP_KIND_THREAD_STATE)
		event.kind = CTP_KIND_WAKE;
	return event;
}

static struct ct_event *events_by_chance(void)
{
	struct ct_event *events = calloc(EVENTS, sizeof(*events));
	uint64_t newest = 1, i;
	ct_time time = 0;

	for (i = 0; i < EVENTS; i++) {
		bool is_creation = chance(12) == 0;

		time += chance(1000) ? chance(20000) : chance(90000000);
		newest += is_creation;
		events[i] = any_event(newest);
		if (is_creation) {
			events[i].kind = CTP_KIND_CREATE;
			events[i].coro = newest;
			events[i].object = 0x1000 * (newest * 7 % 40) + 0x10;
		} else if (chance(6) == 0 && newest > WINDOW) {
			events[i].kind = CTP_KIND_DESTROY;
			events[i].coro = newest - WINDOW + chance(4);
		}
		events[i].time = time;
		events[i].process = 1;
		events[i].thread = 1 + chance(2);
		events[i].site = chance(8);
		if (events[i].kind == CTP_KIND_DESTROY && events[i].coro < EVENTS)
			is_over[events[i].coro] = true;
	}
	return events;
}

static void test_by_chance(uint64_t nr_rounds)
{
	struct made made = {.source = {.ops = &ops, .tables = &tables}, .count = EVENTS};
	uint64_t seed;

	for (seed = 1; seed <= nr_rounds; seed++) {
		state = seed;
		sloppiness = seed % 4 == 0 ? 30 : seed % 4 == 1 ? 200 : 3000;
		memset(is_over, 0, sizeof(is_over));
		made.stored = events_by_chance();
		if (!sparing_check(&made.source, NULL)) {
			fprintf(stderr, "with seed %u\n", (unsigned)seed);
			CHECK(false);
		}
		free(made.stored);
	}
}

/* With a number as its argument the program makes so many rounds by chance. */
int main(int argc, char **argv)
{
	make_tables();
	test_million();
	check_ghost(resumed_late, CT_GRADE_PROVEN);
	check_ghost(woken_late, CT_GRADE_SUSPECT);
	check_ghost(woken_late_by_frame, CT_GRADE_SUSPECT);
	test_descriptor_named_late();
	test_not_read_again();
	test_remote();
	test_watcher();
	test_no_room();
	test_why();
	test_by_chance(argc > 1 ? strtoull(argv[1], NULL, 10) : ROUNDS);
	return check_result();
}
