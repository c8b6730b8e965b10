/* SPDX-License-Identifier: MIT */
/*
 * Self-wake storms: a coroutine makes itself ready, looks around, and waits again, thousands of times a second, and
 * does nothing else that is recorded, for at least a tenth of a second.
 *
 * The rule is silent if anything comes in between: a lock, a transfer, a child, a wake of another coroutine; and about
 * voluntary yields, unless the coroutine came back a hundred thousand times a second, for over a second, and ran for so
 * short each time that it can only have looked whether something is ready. If many look, they share the threads, and
 * none comes back that often: then a hundred thousand looks in all are enough for one that others had woken before,
 * and that has done nothing but look since, up to the end.
 */

#include "analyze/own_line.h"
#include "rules/parts.h"

/* A coroutine that yields less often, or runs for longer, works, and lets others run. */
#define YIELDS_RATE INT64_C(100000)
#define YIELDS_TIME INT64_C(1000000000)
#define YIELD_RUN INT64_C(500)

/* What one of many that share a thread has to come to. Others had woken it as often as that, before. */
#define LOOKS UINT64_C(100000)
#define LOOKS_RATE INT64_C(10000)
#define WOKEN_BEFORE UINT64_C(10)

/* ---------------------------------------------------------------- the watcher */

/*
 * Streaks: wakes of a coroutine by itself, with nothing between them but waits. The present streak and the longest
 * one are kept.
 */
struct streak {
	uint32_t coro;
	uint32_t wait_site; /* where it waited in between, in the longest streak */
	uint32_t site;      /* of its last wake */
	bool was_running;   /* the coroutine was running at that wake */
	bool of_yields;     /* its waits are voluntary yields */
	uint64_t count;
	ct_time first;
	uint64_t first_event;
	uint64_t longest;
	ct_time longest_first;
	ct_time longest_last;
	uint64_t longest_first_event;
	uint64_t longest_last_event;
	uint64_t nr_self_wakes; /* in all streaks */
	uint64_t nr_by_others;  /* wakes by others before the present streak began */
	int64_t ran_before;     /* ns that the coroutine had run when the present streak began */
	int64_t longest_ran;    /* ns that it ran during the longest one */
	int64_t ran;            /* ns that it had run at the last wake of the present streak */
	uint64_t nr_short;      /* runs of the present streak that took YIELD_RUN or less */
	uint64_t longest_short;
};

/* For each coroutine the watcher keeps the indices of its streaks; 0: none. */
struct streaks_of_coro {
	uint32_t of[2]; /* of waits, and of yields */
};

struct memory {
	VEC(struct streak) streaks; /* [0] stands for none */
	uint64_t least;             /* shorter streaks are dropped when their coroutine ends */
};

static const struct memory *memory_of(const struct analysis *analysis)
{
	return analyze_watch_of(analysis, &rules_self_wake_storm)->memory;
}

static bool begin(struct model_watch *watch, const void *settings)
{
	const struct analysis *analysis = settings;
	struct memory *memory = watch->memory;

	memory->least = (uint64_t)LIMIT(analysis, STORM_WAKES);
	return vec_push(&memory->streaks, (struct streak){0});
}

static void end(struct model_watch *watch)
{
	struct memory *memory = watch->memory;

	vec_fini(&memory->streaks);
}

static uint32_t *streak_of(const struct model_watch *watch, uint32_t coro, bool of_yields)
{
	struct streaks_of_coro *streaks = model_watch_coro(watch, coro);

	return &streaks->of[of_yields];
}

/* Anything else that the coroutine does ends its streak: taking, giving, waking others, transfers, children. */
static bool look_at_deed(struct model_watch *watch, const struct model_sight *sight)
{
	struct memory *memory = watch->memory;

	/* Streak 0 stands for none. */
	memory->streaks.at[*streak_of(watch, sight->coro, false)].count = 0;
	memory->streaks.at[*streak_of(watch, sight->coro, true)].count = 0;
	return true;
}

/* The coroutine's streak, made if there is none; NULL: out of memory. */
static struct streak *streak_at(struct model_watch *watch, uint32_t coro, bool of_yields)
{
	struct memory *memory = watch->memory;
	uint32_t *index = streak_of(watch, coro, of_yields);

	if (!*index) {
		struct streak streak = {.coro = coro, .of_yields = of_yields};

		if (!vec_push(&memory->streaks, streak))
			return NULL;
		*index = (uint32_t)(memory->streaks.count - 1);
	}
	return &memory->streaks.at[*index];
}

static int64_t ran_until(const struct model *model, const struct model_coro *coro, ct_time time)
{
	return model_spent(model, coro, CT_STATE_RUNNING) +
	       (coro->state == CT_STATE_RUNNING ? time - coro->changed : 0);
}

/* The model counts a wake after it has told of it: the present one is in neither number, or in both. */
static uint64_t count_by_others(const struct streak *streak, const struct model_coro *coro)
{
	return coro->turns->nr_wakes - streak->nr_self_wakes;
}

static void count(const struct model *model, struct streak *streak, const struct model_coro *coro,
	const struct ct_event *event)
{
	int64_t ran = ran_until(model, coro, event->time);

	if (streak->count++ == 0) {
		streak->first = event->time;
		streak->first_event = event->sequence;
		streak->ran_before = ran;
		streak->nr_short = 0;
		streak->nr_by_others = count_by_others(streak, coro);
	} else {
		streak->nr_short += ran - streak->ran <= YIELD_RUN;
	}
	streak->ran = ran;
	/* Events that the coroutine writes while it runs are its own acts; a scheduler may repeat them afterwards. */
	if (coro->state == CT_STATE_RUNNING || !streak->was_running)
		streak->site = event->site;
	streak->was_running |= coro->state == CT_STATE_RUNNING;
	streak->nr_self_wakes++;
	if (streak->count <= streak->longest)
		return;
	streak->longest = streak->count;
	streak->longest_first = streak->first;
	streak->longest_last = event->time;
	streak->longest_first_event = streak->first_event;
	streak->longest_last_event = event->sequence;
	streak->longest_ran = ran - streak->ran_before;
	streak->longest_short = streak->nr_short;
	streak->wait_site = coro->wait_site;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct streak *streak = streak_at(watch, sight->coro, coro->point == CTP_POINT_YIELD);

	if (!streak)
		return false;
	count(watch->model, streak, coro, sight->event);
	return true;
}

/* Drops the streaks of coroutines whose records the model gave back the last time. */
static void leave_out_gone(struct model_watch *watch)
{
	struct memory *memory = watch->memory;
	uint32_t nr_kept = 1, i;

	for (i = 1; i < memory->streaks.count; i++) {
		const struct streak *streak = &memory->streaks.at[i];

		if (!streak->coro)
			continue;
		*streak_of(watch, streak->coro, streak->of_yields) = nr_kept;
		memory->streaks.at[nr_kept++] = *streak;
	}
	memory->streaks.count = nr_kept;
}

static void visit(struct model_watch *watch, struct release *release, model_visitor *visit_coro)
{
	struct memory *memory = watch->memory;
	size_t i;

	leave_out_gone(watch);
	for (i = 1; i < memory->streaks.count; i++) {
		struct streak *streak = &memory->streaks.at[i];

		visit_coro(release, &streak->coro,
			streak->longest >= memory->least ? MODEL_MARK_WHOLE : MODEL_MARK_NONE);
	}
}

/* ---------------------------------------------------------------- the candidates */

static int64_t rate_of(const struct streak *streak)
{
	int64_t lasted = streak->longest_last - streak->longest_first;

	return (int64_t)((double)streak->longest * 1e9 / (double)(lasted > 0 ? lasted : 1));
}

/* So many, and so short, yields are no work that lets others run. */
static bool are_looks(const struct streak *streak)
{
	return rate_of(streak) >= YIELDS_RATE &&
	       streak->longest_last - streak->longest_first >= YIELDS_TIME &&
	       streak->longest_ran <= (int64_t)streak->longest * YIELD_RUN;
}

/* Has the coroutine only looked since others woke it last? A thread that was preempted makes a few looks long. */
static bool looks_to_the_end(const struct analysis *analysis, const struct streak *streak)
{
	const struct model_coro *coro = &analysis->model->coros.at[streak->coro];
	ct_time end = analysis->parties[coro->process].end;

	return streak->longest >= LOOKS && rate_of(streak) >= LOOKS_RATE &&
	       streak->longest_last - streak->longest_first >= YIELDS_TIME &&
	       streak->longest_short >= streak->longest - streak->longest / 10 &&
	       streak->count == streak->longest && end - streak->longest_last <= YIELDS_TIME &&
	       streak->nr_by_others >= WOKEN_BEFORE &&
	       count_by_others(streak, coro) == streak->nr_by_others;
}

static bool is_storm(const struct analysis *analysis, const struct streak *streak)
{
	const struct model_coro *coro = &analysis->model->coros.at[streak->coro];

	return streak->longest >= (uint64_t)LIMIT(analysis, STORM_WAKES) &&
	       rate_of(streak) >= LIMIT(analysis, STORM_RATE) &&
	       streak->longest_last - streak->longest_first >= LIMIT(analysis, STORM_TIME) &&
	       streak->nr_self_wakes * 2 > coro->turns->nr_wakes &&
	       (!streak->of_yields || are_looks(streak) || looks_to_the_end(analysis, streak)) &&
	       analyze_party_is_at_work(
		       analysis, coro->process, streak->longest_first, streak->longest_last);
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct streak *streak = &memory_of(analysis)->streaks.at[index];
	struct candidate candidate = {
		.rule = CT_RULE_SELF_WAKE_STORM,
		.grade = streak->of_yields ? CT_GRADE_SUSPECT : CT_GRADE_LIKELY,
		.process = analysis->model->coros.at[streak->coro].process,
		.coro = streak->coro,
		.wait_site = streak->wait_site,
		.cause_site = streak->site ? streak->site : streak->wait_site,
		.subject = index,
		.since = streak->longest_first,
		.until = streak->longest_last,
	};

	analyze_candidate_lower_for_gaps(
		analysis, &candidate, streak->longest_first, streak->longest_last);
	analyze_candidate_add(analysis, &candidate);
}

static bool is_livelock(const struct analysis *analysis, uint32_t coro)
{
	return analyze_candidate_is_there(
		analysis, CT_RULE_LIVELOCK, analysis->model->coros.at[coro].process, coro);
}

static void find(struct analysis *analysis)
{
	size_t i;

	for (i = 1; i < memory_of(analysis)->streaks.count; i++)
		if (is_storm(analysis, &memory_of(analysis)->streaks.at[i]) &&
			!is_livelock(analysis, memory_of(analysis)->streaks.at[i].coro))
			judge(analysis, (uint32_t)i);
}

static const struct streak *streak_of_member(
	const struct analysis *analysis, const struct group *group, uint32_t at)
{
	return &memory_of(analysis)->streaks.at[analysis->candidates.at[group->first + at].subject];
}

/* The last wake of the whole group. */
static ct_time last_of(const struct analysis *analysis, const struct group *group)
{
	ct_time last = INT64_MIN;
	uint32_t i;

	for (i = 0; i < group->count; i++) {
		const struct streak *streak = streak_of_member(analysis, group, i);

		last = streak->longest_last > last ? streak->longest_last : last;
	}
	return last;
}

/* A storm that was over for as long as the shortest storm lasts has ended. */
static const char *words_title(struct analysis *analysis, const struct group *group)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct streak *streak = streak_of_member(analysis, group, 0);
	ct_time last = last_of(analysis, group);
	bool is_over = analysis->parties[first->process].end - last > LIMIT(analysis, STORM_TIME);
	bool is_one = group->count == 1;

	return analyze_say(analysis,
		"%s %s again and again at %s, %s times a second%s; nothing else is recorded of %s",
		is_one ? "1 coroutine"
		       : analyze_say(analysis, "%s coroutines each",
				 analyze_words_number(analysis, group->count)),
		is_one    ? is_over ? "woke itself" : "wakes itself"
		: is_over ? "woke themselves"
			  : "wake themselves",
		analyze_words_place(
			analysis, analyze_own_step(analysis, first->cause_site, first->wait_site)),
		analyze_words_number(analysis, (uint64_t)rate_of(streak)),
		is_over ? analyze_say(analysis, ", until %s", analyze_words_time(analysis, last))
			: "",
		is_one ? "it" : "them");
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct streak *streak = streak_of_member(analysis, group, 0);
	const struct model_coro *coro = &analysis->model->coros.at[streak->coro];
	struct ct_step step = {
		.time = streak->longest_first,
		.site = streak->site,
		.thread = coro->turns->wake.thread,
		.coro = coro->id,
		.sequence = streak->longest_first_event,
		.text = analyze_say(analysis,
			"woke itself, %s times in %s, of which it ran for %s; nothing else is "
			"recorded of it in between",
			analyze_words_number(analysis, streak->longest),
			analyze_words_duration(
				analysis, streak->longest_last - streak->longest_first),
			analyze_words_duration(analysis, streak->longest_ran)),
	};

	finding->title = words_title(analysis, group);
	analyze_story_step(analysis, story, &step);
	step.time = streak->longest_last;
	step.sequence = streak->longest_last_event;
	step.text = "woke itself for the last time of these";
	analyze_story_step(analysis, story, &step);
	if (coro->turns->nr_wakes == streak->nr_self_wakes)
		analyze_story_evidence(analysis, story, "all of its %s wakes are its own",
			analyze_words_number(analysis, coro->turns->nr_wakes));
	else
		analyze_story_evidence(analysis, story, "of its %s wakes, %s are its own",
			analyze_words_number(analysis, coro->turns->nr_wakes),
			analyze_words_number(analysis, streak->nr_self_wakes));
	analyze_story_victims(analysis, story, group);
	finding->last_sequence = coro->last_event;
}

const struct rule rules_self_wake_storm = {
	.watcher = {.nr_bytes = sizeof(struct memory),
		.nr_coro_bytes = sizeof(struct streaks_of_coro),
		.looks = {[MODEL_WAKE_ITSELF] = look_at_wake,
			[MODEL_TRY] = look_at_deed,
			[MODEL_PROGRESS] = look_at_deed},
		.begin = begin,
		.end = end,
		.visit = visit},
	.find = find,
	.describe = describe,
	.is_no_explanation = true,
};
