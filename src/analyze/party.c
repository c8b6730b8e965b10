/* SPDX-License-Identifier: MIT */
/*
 * What could still act in each process: its threads, its timers, and the world outside. If it is not known whether
 * something could act, it counts as able to act.
 */
#include <signal.h>

#include "analyze/parts.h"

/* The engine looks at threads that have gone silent within a second, where looks are not too dear. */
#define LOOK_PERIOD_NS INT64_C(2000000000)

/* Is this a fatal signal that a program usually causes itself? */
static bool is_crash_signal(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE ||
	       number == SIGABRT || number == SIGTRAP || number == SIGSYS;
}

static void look_at_ending(const struct ct_process *process, struct party *party)
{
	party->has_ended_itself = process->ending == CT_ENDING_EXITED;
	party->has_ended_well = party->has_ended_itself && process->ending_value == 0;
	party->has_given_up = party->has_ended_itself && process->ending_value != 0;
	party->has_crashed = process->ending == CT_ENDING_SIGNALED &&
			     is_crash_signal(process->ending_value) &&
			     !process->was_killed_by_engine_user;
}

/* ---------------------------------------------------------------- threads */

/*
 * The thread was awake and wrote events after the last look. A thread that it woke before it parked may not have
 * written anything since.
 */
static bool has_acted_since_look(const struct model_thread *thread)
{
	return thread->seen != CT_NO_TIME && thread->seen < thread->last_event;
}

/* The thread sleeps in a call with a time-out, but its scheduler reports that it only looks around after that. */
static bool is_said_to_be_blocked(const struct model *model, uint32_t index)
{
	const struct model_thread *thread = &model->threads[index];

	return thread->is_untimed && model_is_look_valid(model, index) && thread->seen_state == 'S';
}

static bool is_blocked_for_ever(const struct model *model, uint32_t index)
{
	const struct model_thread *thread = &model->threads[index];

	if (thread->has_failed)
		return false;
	if (model_is_look_valid(model, index))
		return thread->seen_untimed;
	if (has_acted_since_look(thread))
		return false;
	if (thread->is_parked || thread->is_polling)
		return thread->idle_from != CT_NO_TIME && !thread->is_idle_timed &&
		       !(thread->blocked_from != CT_NO_TIME && thread->is_blocked_timed);
	return thread->is_blocked_last && !thread->is_blocked_timed;
}

/*
 * The engine found the thread asleep since its last event, and no coroutine runs on it: a coroutine would go on by
 * itself. The thread may be awake by now, perhaps to end the program.
 */
static bool was_asleep_for_a_time(const struct model *model, uint32_t index)
{
	const struct model_thread *thread = &model->threads[index];

	if (thread->top && !model->coros.at[thread->top].is_half_told)
		return false;
	return model_is_look_valid(model, index) && !thread->seen_untimed &&
	       thread->nr_looks_running < thread->nr_looks;
}

/*
 * A watchdog's sleep cannot be cut short: nothing can set an earlier timer while it lasts. The thread whose signal
 * ended the program slept until then, in whatever call.
 */
static bool may_be_watchdog(const struct model *model, uint32_t index)
{
	const struct model_thread *thread = &model->threads[index];
	bool is_worker = thread->is_worker && model_is_sure_worker(model, index);

	return !is_worker && (model_sleeps(model, index) || thread->has_failed);
}

static void look_at_worker(const struct model_thread *thread, struct party *party)
{
	ct_time stopped = thread->stopped == CT_NO_TIME ? INT64_MAX : thread->stopped;

	if (thread->is_worker && stopped > party->workers_ended)
		party->workers_ended = stopped;
}

static void look_at_thread(struct analysis *analysis, uint32_t index)
{
	const struct model_thread *thread = &analysis->model->threads[index];
	struct party *party = &analysis->parties[thread->process];

	look_at_worker(thread, party);
	if (!thread->is_polling && thread->blocked_from != CT_NO_TIME &&
		thread->blocked_from < party->blocked_since)
		party->blocked_since = thread->blocked_from;
	party->was_looked_at |= thread->seen != CT_NO_TIME;
	if (thread->seen > party->looked) /* CT_NO_TIME is earlier than any time */
		party->looked = thread->seen;
	if (thread->last_event > party->acted)
		party->acted = thread->last_event;
	if (thread_is_over(thread, party->end))
		return;
	party->has_outside |= model_waits_outside(analysis->model, index) ||
			      (analysis->model->processes[thread->process].has_polls &&
				      !model_is_look_valid(analysis->model, index));
	if (model_is_look_valid(analysis->model, index) && thread->seen_inside) {
		party->has_armed = true;
		party->has_outside |= !party->is_alone;
	}
	party->has_sleeper |= model_sleeps(analysis->model, index);
	if (is_blocked_for_ever(analysis->model, index))
		return;
	party->has_free_thread = true;
	if (!is_said_to_be_blocked(analysis->model, index)) {
		party->has_timed_thread = true;
		party->nr_watchdogs += may_be_watchdog(analysis->model, index);
		party->has_clock_thread |= !may_be_watchdog(analysis->model, index);
	}
	party->has_busy_thread |= !was_asleep_for_a_time(analysis->model, index);
	party->has_given_up |= thread->has_failed;
}

/* Threads that never wrote an event are known only if the engine looked for threads. */
static void look_at_threads(struct analysis *analysis)
{
	uint32_t i;

	for (i = 1; i < analysis->model->nr_threads; i++)
		look_at_thread(analysis, i);
	for (i = 0; i < analysis->model->nr_processes; i++) {
		const struct model_process *process = &analysis->model->processes[i];
		struct party *party = &analysis->parties[i];

		party->are_threads_asleep = party->was_looked_at && !party->has_busy_thread &&
					    !process->has_unseen_threads && process->nr_ready == 0;
		party->are_threads_known = party->are_threads_asleep && !party->has_free_thread;
	}
}

/* ---------------------------------------------------------------- descriptors and coroutines */

/* A timer that a coroutine waits for belongs to that coroutine; what other timers are for is not known. */
static void look_at_timer(
	const struct model_descriptor *descriptor, bool is_waited_for, struct party *party)
{
	ct_time fired = descriptor->ready == CT_NO_TIME ? INT64_MIN : descriptor->ready;

	if (!model_is_pending_timer(descriptor, party->end))
		return;
	party->has_timer = true;
	party->has_waited_timer |= is_waited_for;
	if (is_waited_for)
		return;
	if (!(descriptor->flags & MODEL_DESCRIPTOR_REPEATS))
		fired = INT64_MIN;
	if (fired < party->timers)
		party->timers = fired;
}

/* Another process may have inherited descriptors of this one, or have received them. */
static bool is_alone(const struct analysis *analysis, uint32_t process)
{
	const struct ct_tables *tables = analysis->tables;
	uint32_t i;

	for (i = 1; i < tables->nr_processes; i++) {
		if (i != process &&
			(tables->processes[i].ended == CT_NO_TIME ||
				tables->processes[i].ended > analysis->parties[process].end))
			return false;
	}
	return !model_process_is_reachable(&analysis->model->processes[process]);
}

/* Is the other end of this pipe or socket pair still open, under any number? */
static bool has_both_ends(const struct model *model, const struct model_descriptor *descriptor)
{
	const struct model_descriptor *file = &model->descriptors.at[descriptor->file];
	const struct model_descriptor *mate = &model->descriptors.at[file->mate];

	return file->mate && model->descriptors.at[mate->file].nr_copies > 0;
}

/*
 * Can only the process itself make the descriptor ready, provided that it is alone? A timer becomes ready by itself:
 * look_at_timer.
 */
static bool is_own(const struct model *model, const struct model_descriptor *descriptor)
{
	switch (descriptor->type) {
	case CTP_DESCRIPTOR_TYPE_EVENT:
	case CTP_DESCRIPTOR_TYPE_TIMER:
	case CTP_DESCRIPTOR_TYPE_POLL:
		return true;
	case CTP_DESCRIPTOR_TYPE_PIPE:
	case CTP_DESCRIPTOR_TYPE_SOCKET_PAIR:
	case CTP_DESCRIPTOR_TYPE_SOCKET:
	case CTP_DESCRIPTOR_TYPE_CONNECTION:
		return has_both_ends(model, descriptor);
	default:
		return false;
	}
}

bool analyze_party_is_own(const struct analysis *analysis, uint32_t descriptor)
{
	return is_own(analysis->model, &analysis->model->descriptors.at[descriptor]);
}

bool analyze_party_has_own_clients(const struct analysis *analysis, uint32_t descriptor)
{
	unsigned flags = analysis->model->descriptors.at[descriptor].flags;

	return (flags & MODEL_DESCRIPTOR_HAS_OWN_CLIENTS) &&
	       !(flags & MODEL_DESCRIPTOR_HAS_OTHER_CLIENTS);
}

bool analyze_party_is_inside(const struct analysis *analysis, uint32_t descriptor)
{
	const struct model_descriptor *at = &analysis->model->descriptors.at[descriptor];

	return analysis->parties[at->process].is_alone && is_own(analysis->model, at);
}

bool analyze_party_may_be_armed(const struct analysis *analysis, uint32_t descriptor)
{
	const struct model_descriptor *at = &analysis->model->descriptors.at[descriptor];

	if (at->flags & MODEL_DESCRIPTOR_IS_ARMED)
		return true;
	return analysis->model->processes[at->process].is_reachable &&
	       ((at->flags & MODEL_DESCRIPTOR_IS_LISTENER) ||
		       at->type == CTP_DESCRIPTOR_TYPE_CONNECTION);
}

static void look_at_descriptors(struct analysis *analysis, const bool *is_waited_for)
{
	const struct model *model = analysis->model;
	size_t i;

	for (i = 1; i < model->descriptors.count; i++) {
		const struct model_descriptor *descriptor = &model->descriptors.at[i];
		struct party *party = &analysis->parties[descriptor->process];

		if (!(descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN))
			continue;
		look_at_timer(descriptor, is_waited_for[i], party);
		if (!analyze_party_may_be_armed(analysis, (uint32_t)i) && !is_waited_for[i] &&
			!model_is_polled(model, descriptor))
			continue;
		party->has_armed = true;
		party->has_outside |= !party->is_alone || !is_own(model, descriptor);
	}
}

static void look_at_coros(struct analysis *analysis, bool *is_waited_for)
{
	const struct model *model = analysis->model;
	size_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];
		struct party *party = &analysis->parties[coro->process];
		unsigned kind = CTP_HANDLE_RESOURCE(coro->wait_object);

		if (coro->state != CT_STATE_WAITING)
			continue;
		is_waited_for[coro->rare->descriptor] = true;
		party->has_timer |= analyze_wait_may_expire(coro, party->end);
		party->has_outside |= kind == CTP_RESOURCE_PROCESS || kind == CTP_RESOURCE_NETWORK;
	}
}

ct_time analyze_party_working_until(const struct analysis *analysis, uint32_t process)
{
	ct_time from = analysis->model->processes[process].shutdown_from;
	const struct party *party = &analysis->parties[process];
	ct_time end = from != CT_NO_TIME && from < party->end ? from : party->end;

	return party->was_looked_at && party->looked < party->acted &&
			       end - party->acted > LOOK_PERIOD_NS
		       ? party->acted
		       : end;
}

bool analyze_party_ended_at_work(const struct analysis *analysis, uint32_t process, ct_time since)
{
	ct_time last = analysis->model->processes[process].last_run;
	ct_time end = analyze_party_working_until(analysis, process);

	return !analysis->parties[process].has_ended_well ||
	       (last != CT_NO_TIME && end - since > LIMIT(analysis, PASSED_TIME) &&
		       end - last < (end - since) / 10);
}

bool analyze_party_ended_amid_turn(
	const struct analysis *analysis, uint32_t thread, ct_time since, ct_time end)
{
	ct_time idle = analysis->model->threads[thread].idle_began;

	return thread && idle != CT_NO_TIME && idle < since && end - since < LIMIT(analysis, GRACE);
}

/* Does the coroutine wait for the clock, with its deadline still to come, or is it ready? */
static bool is_to_run(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	if (index == 0 || coro->state != CT_STATE_WAITING)
		return index != 0 && coro->state == CT_STATE_READY;
	return analyze_wait_may_expire(coro, analysis->parties[coro->process].end);
}

void analyze_candidate_limit_for_doer(
	const struct analysis *analysis, struct candidate *candidate, uint32_t coro, ct_time time)
{
	bool has_come_back = analysis->model->coros.at[coro].resumed > time;

	if (is_to_run(analysis, coro))
		analyze_candidate_limit(candidate,
			has_come_back ? CT_GRADE_LIKELY : CT_GRADE_SUSPECT, REASON_STILL_TO_RUN);
}

bool analyze_party_is_at_work(
	const struct analysis *analysis, uint32_t process, ct_time from, ct_time until)
{
	const struct model_process *of = &analysis->model->processes[process];

	if (of->is_warming_up || analyze_ties_is_shutting_down(analysis, process, from))
		return false;
	return of->warm_up_until == CT_NO_TIME || until >= of->warm_up_until;
}

bool analyze_party_has_nobody_left(const struct party *party)
{
	return party->are_threads_known && !party->has_timer && !party->has_outside;
}

bool analyze_party_says_nobody_is_left(const struct party *party)
{
	return party->are_threads_asleep && !party->has_timed_thread && !party->has_timer &&
	       !party->has_outside;
}

bool analyze_party_has_failed_in_sleep(const struct party *party)
{
	return party->has_given_up && party->are_threads_asleep && !party->has_clock_thread &&
	       party->nr_watchdogs <= 1 && !party->has_timer && !party->has_outside;
}

/* Since then the thread waited for a processor for half of the time, or nobody looked at it. */
static bool is_starved(const struct model_thread *thread, ct_time since)
{
	const struct model_account *last, *before;
	size_t i = thread->accounts.count;

	if (i == 0)
		return false;
	last = before = &thread->accounts.at[--i];
	if (last->time <= since)
		return true;
	while (i > 0 && before->time > since)
		before = &thread->accounts.at[--i];
	return (int64_t)(last->waited_ns - before->waited_ns) > (last->time - since) / 2;
}

bool analyze_party_has_starved_worker(
	const struct analysis *analysis, uint32_t index, ct_time since)
{
	const struct model *model = analysis->model;
	const struct model_process *process = &model->processes[index];
	size_t i;

	for (i = 0; i < process->workers.count; i++)
		if (is_starved(&model->threads[process->workers.at[i]], since))
			return true;
	return false;
}

/* Does a peer outside of the process decide how long this descriptor lives? */
static bool is_connection(const struct analysis *analysis, uint32_t process, uint32_t index)
{
	const struct model_descriptor *descriptor = &analysis->model->descriptors.at[index];

	return descriptor->process == process &&
	       descriptor->type == CTP_DESCRIPTOR_TYPE_CONNECTION &&
	       (descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN) &&
	       !analyze_party_is_inside(analysis, index);
}

uint32_t analyze_party_nr_connections(const struct analysis *analysis, uint32_t process)
{
	uint32_t count = 0, i;

	for (i = 1; i < analysis->model->descriptors.count; i++)
		count += is_connection(analysis, process, i);
	return count;
}

bool analyze_party_account(const struct analysis *analysis, uint32_t process, ct_time from,
	ct_time until, struct model_account *ret_sum)
{
	const struct model_process *of = &analysis->model->processes[process];
	bool is_known = false;
	size_t i;

	*ret_sum = (struct model_account){.time = 0};
	for (i = 0; i < of->workers.count; i++) {
		uint32_t worker = of->workers.at[i];
		struct model_account account;
		ct_time since;

		if (!model_account_between(analysis->model, worker, from, until, &account) &&
			!model_account_since(analysis->model, worker, from, &account, &since))
			continue;
		is_known = true;
		ret_sum->ran_ns += account.ran_ns;
		ret_sum->waited_ns += account.waited_ns;
	}
	return is_known;
}

void analyze_party_survey(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	bool *is_waited_for = analyze_scratch(analysis, model->descriptors.count, sizeof(bool));
	uint32_t i;

	analysis->parties =
		analyze_scratch(analysis, model->nr_processes, sizeof(*analysis->parties));
	if (!is_waited_for || !analysis->parties)
		return;
	for (i = 0; i < model->nr_processes; i++) {
		struct party *party = &analysis->parties[i];

		party->end = model_end_of(model, i);
		party->quiet = model_quiet_time(model, i, party->end);
		party->workers_quiet = model_workers_quiet_time(model, i, party->end);
		party->is_alone = is_alone(analysis, i);
		party->timers = party->blocked_since = INT64_MAX;
		party->workers_ended = party->acted = party->looked = INT64_MIN;
		party->has_outside = model->processes[i].has_completions;
		if (i < analysis->tables->nr_processes)
			look_at_ending(&analysis->tables->processes[i], party);
	}
	look_at_threads(analysis);
	look_at_coros(analysis, is_waited_for);
	look_at_descriptors(analysis, is_waited_for);
}

uint64_t *analyze_party_count_coros(struct analysis *analysis,
	bool (*is_counted)(const struct analysis *analysis, uint32_t coro))
{
	uint64_t *counts =
		analyze_scratch(analysis, analysis->model->nr_processes, sizeof(*counts));
	uint32_t i;

	for (i = 1; counts && i < analysis->model->coros.count; i++)
		counts[analysis->model->coros.at[i].process] += is_counted(analysis, i);
	return counts;
}

/* The records of coroutines that ended may be gone: the delays at their places still count their wakes. */
static bool has_delays(const struct analysis *analysis, uint32_t process)
{
	uint32_t site;

	for (site = 1; site < analysis->tables->nr_sites; site++) {
		const struct model_place_times *times = model_times_at(analysis->model, site);

		if (times && times->delays && times->delays->count &&
			analysis->tables->sites[site].process == process)
			return true;
	}
	return false;
}

bool analyze_party_has_wakes(const struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	size_t i;

	if (model->nr_unmatched_wakes || has_delays(analysis, process))
		return true;
	for (i = 1; i < model->coros.count; i++)
		if (model->coros.at[i].process == process && model->coros.at[i].turns->nr_wakes)
			return true;
	return false;
}

bool analyze_party_may_have_gone_on(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct ct_tables *tables = analysis->tables;
	uint32_t i;

	if (!tables->has_no_end)
		return model_lost_between(analysis->model, coro->process, coro->suspended,
			       analysis->parties[coro->process].end) > 0;
	for (i = 0; i < tables->nr_losses; i++) {
		const struct ct_loss *loss = &tables->losses[i];

		if (loss->process == coro->process && loss->last > coro->suspended &&
			(loss->coro == 0 || loss->coro == coro->id))
			return true;
	}
	return false;
}

bool analyze_party_is_idle(const struct analysis *analysis, uint32_t process)
{
	const struct party *party = &analysis->parties[process];
	ct_time last = analysis->model->processes[process].last_run;

	return (party->has_outside || party->has_armed) &&
	       (last == CT_NO_TIME || party->end - last > LIMIT(analysis, WAIT_LIMIT));
}

bool analyze_party_is_watchdog(const struct analysis *analysis, uint32_t thread)
{
	const struct model *model = analysis->model;
	const struct model_thread *at = &model->threads[thread];
	size_t i;

	if (!thread || at->is_worker || at->last_event != CT_NO_TIME || !at->nr_looks ||
		at->nr_looks_running)
		return false;
	for (i = 0; i < model->crashes.count; i++)
		if (model->crashes.at[i].thread == thread && model->crashes.at[i].is_raised &&
			!model->crashes.at[i].coro)
			return true;
	return false;
}
