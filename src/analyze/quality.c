/* SPDX-License-Identifier: MIT */
/*
 * The quality of the observation itself, and remarks that a reader should know besides the findings.
 */
#include <inttypes.h>
#include <signal.h>

#include "analyze/parts.h"
#include "analyze/standing.h"
#include "event/attaching.h"

#define STARVED_NS UINT64_C(100000000) /* less is told of nobody */
/* A process is said to have gone on beside its coroutines if it did so for so many times as long as they ran. */
#define BESIDE_SHARE 9

/* Is this coroutine known only because another one waits for it? */
static bool is_only_named(const struct model_coro *coro)
{
	return coro->state == CT_STATE_UNSEEN && !(coro->flags & MODEL_CORO_WAS_CREATED) &&
	       model_nr_events(coro) == 0 && coro->turns->nr_wakes == 0;
}

static void count_coros(const struct analysis *analysis, struct ct_quality *quality)
{
	const struct model *model = analysis->model;
	size_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		/* The coroutine's events were left out on request: it does not belong to this trace. */
		if ((analysis->has_left_out && is_only_named(coro)) || coro->is_remains)
			continue;
		if (model_is_of_runtime(coro)) {
			quality->nr_of_runtime++;
			continue;
		}
		quality->nr_coros++;
		quality->nr_by_state[coro->state]++;
		quality->nr_yielding += model_is_yielding(coro);
		quality->nr_coros_mid_life += !(coro->flags & MODEL_CORO_WAS_CREATED);
	}
	quality->nr_coros += model->ended.count;
	quality->nr_by_state[CT_STATE_DESTROYED] += model->ended.count;
	for (i = 0; i < model->nr_processes; i++) {
		quality->nr_destroyed_waiting += model->processes[i].nr_cut;
		quality->nr_destroyed_woken += model->processes[i].nr_cut_ready;
	}
	quality->nr_coros_mid_life += model->ended.nr_mid_life;
	quality->nr_of_runtime += model->ended.nr_of_runtime;
	/* If the trace has no beginnings at all, a missing beginning means nothing; gaps in the sequence numbers do. */
	if (model->tables->has_no_end)
		quality->nr_coros_mid_life = 0;
	quality->nr_unseen = quality->nr_by_state[CT_STATE_UNSEEN];
}

static void list_losses(struct analysis *analysis, struct ct_quality *quality)
{
	const struct model *model = analysis->model;
	struct ct_loss *losses = analyze_array(analysis, model->gaps.count, sizeof(*losses));
	uint32_t count = 0;
	size_t i;

	if (!losses)
		return;
	for (i = 0; i < model->gaps.count; i++) {
		const struct model_gap *gap = &model->gaps.at[i];

		/* Events that have not been written yet are not missing. */
		if (gap->reason == CTP_LOSS_OPEN_END && analysis->tables->goes_on)
			continue;
		losses[count++] = (struct ct_loss){
			.process = gap->process,
			.thread = gap->thread,
			.coro = gap->coro,
			.reason = (enum ctp_loss)gap->reason,
			.count = gap->told,
			.first = gap->first,
			.last = gap->last == INT64_MAX ? CT_NO_TIME : gap->last,
		};
	}
	quality->losses = losses;
	quality->nr_losses = count;
}

static uint64_t count_starved_workers(const struct model *model)
{
	uint64_t count = 0;
	uint32_t i;

	for (i = 1; i < model->nr_threads; i++) {
		struct model_account account = model_account_whole(model, i);

		count += model->threads[i].is_worker && account.waited_ns >= STARVED_NS &&
			 account.waited_ns > account.ran_ns;
	}
	return count;
}

void analyze_quality_fill(struct analysis *analysis, struct ct_quality *quality)
{
	const struct model *model = analysis->model;
	size_t i;

	quality->nr_events = model->nr_events - model->tables->nr_carried;
	quality->nr_lost = model->nr_lost;
	quality->nr_left_out = model->nr_left_out;
	quality->nr_frames_reused = model->nr_frames_reused;
	quality->nr_impossible = model->nr_impossible + model->tables->nr_impossible;
	quality->nr_unknown_kinds = model->nr_unknown_kinds;
	quality->nr_broken_transitions = model->nr_broken;
	quality->nr_reordered = model->nr_reordered;
	quality->nr_late_ends = model->nr_late_ends;
	quality->reordered_ns = model->reordered_ns;
	quality->nr_unmatched_wakes = model->nr_unmatched_wakes;
	quality->nr_starved_workers = count_starved_workers(model);
	quality->nr_allowed = analysis->nr_allowed;
	quality->observed_from = model->from;
	quality->observed_until = model->now;
	count_coros(analysis, quality);
	list_losses(analysis, quality);
	for (i = 0; i < analysis->candidates.count; i++)
		quality->has_lower_grades |=
			!!(analysis->candidates.at[i].reasons & (REASON(GAP) | REASON(LEFT_OUT)));
}

/* ---------------------------------------------------------------- remarks */

void analyze_quality_remark(struct analysis *analysis, const char *format, ...)
{
	va_list arguments;
	bool is_kept;

	va_start(arguments, format);
	is_kept = vec_push(&analysis->remarks, analyze_say_list(analysis, format, arguments));
	va_end(arguments);
	analysis->is_broken |= !is_kept;
}

static const char *words_call(unsigned call)
{
	return call == CTP_CALL_OTHER ? "a blocking call" : ct_call_name(call);
}

/* The thread of the process that has been blocked for the longest time; "" if none is blocked. */
static const char *words_longest_block(struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	ct_time end = analysis->parties[process].end;
	uint32_t i, longest = 0;

	for (i = 1; i < model->nr_threads; i++) {
		const struct model_thread *thread = &model->threads[i];

		if (thread->process != process || thread->blocked_from == CT_NO_TIME ||
			thread->blocked_from >= end)
			continue;
		if (!longest || thread->blocked_from < model->threads[longest].blocked_from)
			longest = i;
	}
	if (!longest)
		return "";
	return analyze_say(analysis, "; %s has been in %s for %s",
		analyze_words_thread(analysis, longest),
		words_call(model->threads[longest].blocked_call),
		analyze_words_duration(analysis, end - model->threads[longest].blocked_from));
}

/*
 * After a colon: whether the process attaches. Empty for child processes of the traced program, such as a shell's
 * tools, which need no probe.
 */
static const char *words_attaching(struct analysis *analysis, const struct ct_process *told)
{
	const struct ct_process *meant =
		&analysis->tables->processes[attaching_find_process(analysis->tables)];
	const struct ct_attaching *attaching = ct_attaching(told->program);

	if (attaching->is_launcher ||
		(!*attaching->language && strcmp(told->program, meant->program) != 0))
		return "";
	return analyze_say(analysis, ": %s", attaching->question);
}

static bool has_told_nothing(const struct analysis *analysis, uint32_t index)
{
	const struct model_process *process = &analysis->model->processes[index];

	return !analysis->tables->processes[index].has_probe && !process->pages.count &&
	       !process->gone.count;
}

/*
 * Is this a child process about which there is nothing to ask, and nothing unusual to say? There may be very many of
 * these.
 */
static bool is_mere_tool(struct analysis *analysis, uint32_t index)
{
	return index > 1 && has_told_nothing(analysis, index) &&
	       !*words_attaching(analysis, &analysis->tables->processes[index]) &&
	       !*words_longest_block(analysis, index);
}

/* A program that never attached: what the descriptor ledger alone can say about it. */
static void remark_ledger_only(struct analysis *analysis, uint32_t index)
{
	const struct model_process *process = &analysis->model->processes[index];
	const struct ct_process *told = &analysis->tables->processes[index];
	const char *question;

	if (!has_told_nothing(analysis, index))
		return;
	question = words_attaching(analysis, told);
	if (!told->has_ledger) {
		analyze_quality_remark(analysis,
			"process %" PRIu64 " never attached, and no descriptor of it was "
			"watched%s",
			told->pid, question);
		return;
	}
	analyze_quality_remark(analysis,
		"process %" PRIu64 " never attached%s Of its descriptors, %" PRIu64
		" were opened and %" PRIu64 " are still open%s",
		told->pid, *question ? question : ".", process->nr_opened, process->nr_open,
		words_longest_block(analysis, index));
}

/* Child processes that are mere tools get one common remark if there are several. */
static void remark_tools(struct analysis *analysis)
{
	uint64_t nr_opened = 0, nr_open = 0;
	uint32_t count = 0, last = 0, i;

	for (i = 1; i < analysis->tables->nr_processes; i++) {
		if (!is_mere_tool(analysis, i))
			continue;
		count++;
		last = i;
		nr_opened += analysis->model->processes[i].nr_opened;
		nr_open += analysis->model->processes[i].nr_open;
	}
	if (count == 1)
		remark_ledger_only(analysis, last);
	if (count > 1)
		analyze_quality_remark(analysis,
			"%" PRIu32 " more processes never attached. Of their descriptors, %" PRIu64
			" were opened and %" PRIu64 " are still open",
			count, nr_opened, nr_open);
}

static void remark_ending(struct analysis *analysis, uint32_t index)
{
	const struct ct_process *told = &analysis->tables->processes[index];

	if (told->ending != CT_ENDING_SIGNALED || told->was_killed_by_engine_user ||
		analysis->parties[index].has_crashed)
		return;
	/* A terminal sends SIGINT to the program and to corotracer at the same time, and the program may end first. */
	if (told->ending_value == SIGINT)
		return;
	if (told->ending_value == SIGKILL)
		analyze_quality_remark(analysis,
			"process %" PRIu64 " was killed (SIGKILL): by someone else, or for "
			"want of memory",
			told->pid);
	else
		analyze_quality_remark(analysis,
			"process %" PRIu64 " was ended by %s, which did not come by way of "
			"corotracer",
			told->pid, analyze_words_signal(analysis, told->ending_value));
}

static void remark_open_end(struct analysis *analysis)
{
	const struct model *model = analysis->model;

	if (model->nr_behind)
		analyze_quality_remark(analysis,
			"events after the last heartbeat are not judged: %" PRIu64
			" of them are in the trace, others were never written",
			model->nr_behind);
	else if (!analysis->tables->is_complete && !analysis->tables->has_no_end &&
		 !analysis->tables->goes_on)
		analyze_quality_remark(analysis,
			"the trace has no orderly end: what happened after its last "
			"record is not known");
}

/* Names the rules that cannot judge anything although the program takes locks and uses channels. */
static void remark_unnamed(struct analysis *analysis, uint32_t index)
{
	if (analysis->model->processes[index].has_unnamed_waits)
		analyze_quality_remark(analysis,
			"the trace does not record which lock or "
			"channel is waited for; deadlocks, lock order, two holders and notifies "
			"that missed a waiter cannot be judged, only how long coroutines have "
			"waited, and where");
}

/* Many goroutines of a healthy service wait like this: a remark names them, but they are no finding. */
static void remark_idle(struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	const struct model_coro *longest = NULL;
	uint32_t count = 0, i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (coro->process != process || coro->state != CT_STATE_WAITING || coro->mark ||
			!analyze_ties_may_be_idle(analysis, coro) ||
			analysis->parties[process].end - coro->suspended <=
				LIMIT(analysis, WAIT_LIMIT))
			continue;
		if (!longest || coro->suspended < longest->suspended)
			longest = coro;
		count++;
	}
	if (longest)
		analyze_quality_remark(analysis,
			"%" PRIu32 " coroutine%s for longer than the limit, as idle coroutines "
			"do, and are in no finding: the longest at %s",
			count, count == 1 ? " has waited" : "s have waited",
			analyze_words_place(analysis, longest->wait_site));
}

/* A library in another language may resume most coroutines itself, which the probe does not see. */
static void remark_beside(struct analysis *analysis, uint32_t index)
{
	const struct model *model = analysis->model;
	const struct model_process *process = &model->processes[index];
	ct_time from = model->from, stepped = process->stepped, last = process->last_event;

	if (!analysis->tables->processes[index].has_probe || stepped == CT_NO_TIME ||
		last - stepped < LIMIT(analysis, STANDSTILL_TIME) ||
		(last - stepped) / BESIDE_SHARE < stepped - from ||
		analyze_standing_has_living(analysis, index) ||
		model_lost_between(model, index, stepped, last))
		return;
	analyze_quality_remark(analysis,
		"process %" PRIu64 " went on until %s, and its last coroutine that is recorded "
		"ended at %s: are all that it resumes traced?",
		analysis->tables->processes[index].pid, analyze_words_time(analysis, last),
		analyze_words_time(analysis, stepped));
}

/* What is carried has a time since when it was so, if the trace knows that time. */
static void remark_before(struct analysis *analysis)
{
	const struct ct_tables *tables = analysis->tables;

	if (tables->nr_carried && tables->carried_from >= tables->observed_from)
		analyze_quality_remark(analysis,
			"how long states had lasted before the trace began is not known: "
			"lives and waits count from its beginning");
}

void analyze_quality_remarks(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t i;

	remark_before(analysis);
	for (i = 1; i < analysis->tables->nr_processes; i++) {
		if (!is_mere_tool(analysis, i))
			remark_ledger_only(analysis, i);
		remark_ending(analysis, i);
		remark_unnamed(analysis, i);
		remark_idle(analysis, i);
		remark_beside(analysis, i);
		if (model->processes[i].has_unseen_threads)
			analyze_quality_remark(analysis,
				"process %" PRIu64
				" has more threads than the engine looks at; what "
				"the others wait for is not known",
				analysis->tables->processes[i].pid);
		if (model->processes[i].halted != CT_NO_TIME)
			analyze_quality_remark(analysis,
				"process %" PRIu64 " was stopped by a signal or a debugger "
				"at the end; nothing after that counts as waiting",
				analysis->tables->processes[i].pid);
	}
	remark_tools(analysis);
	if (model->nr_tallies_refused)
		analyze_quality_remark(analysis,
			"there are more places, locks, counters or functions than corotracer "
			"follows over time: %" PRIu64 " observations were skipped",
			model->nr_tallies_refused);
	if (model->nr_unjudged)
		analyze_quality_remark(analysis,
			"%" PRIu64 " events name a coroutine that had been "
			"destroyed long before; they cannot be judged",
			model->nr_unjudged);
	if (analysis->nr_allowed)
		analyze_quality_remark(analysis,
			analysis->nr_allowed == 1
				? "%" PRIu64 " finding at an allowed place is not shown"
				: "%" PRIu64 " findings at allowed places are not shown",
			analysis->nr_allowed);
	remark_open_end(analysis);
}
