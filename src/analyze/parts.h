/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the judgement.
 *
 * A rule is a set of functions of the model (rule.h). The rule looks through the model and adds one candidate for
 * each coroutine of which it is true. Candidates of one cause become a group, and each group becomes a finding.
 * Before the findings are made, a second reading of the source collects the evidence for the groups.
 *
 * A failed allocation sets `is_broken`. Functions called after that do nothing useful, and analyze_source reports the
 * failure once, at the end.
 */
#ifndef ANALYZE_PARTS_H
#define ANALYZE_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "analyze/analyze.h"
#include "analyze/party.h"
#include "analyze/reason.h"
#include "analyze/rule.h"
#include "analyze/sentences.h"
#include "analyze/stillness.h"
#include "analyze/story.h"
#include "analyze/thresholds.h"
#include "analyze/ties.h"
#include "analyze/wait.h"
#include "base/arena.h"
#include "model/model.h"
#include "claim/claim.h"

struct hot_run;
struct long_runs;
struct story;

struct candidate {
	enum ct_rule rule;
	enum ct_grade grade;
	uint32_t process;
	uint32_t coro; /* index in the model; 0: none */
	uint32_t wait_site;
	uint32_t cause_site;
	/* further distinguishes causes of one rule; its meaning is the rule's own */
	uint32_t variant;
	uint32_t descriptor; /* index in the model; 0: none */
	uint32_t crash;      /* index in the model's crashes, plus 1; 0: none */
	/* conflict, ghost, object or thread; its meaning is the rule's own */
	uint32_t subject;
	uint32_t opposite; /* a second subject */
	/* apart from others at its place: in which circle of wakers it is; 0: in none so */
	uint32_t circle;
	uint64_t reasons; /* bits REASON(...) */
	bool is_bare; /* nothing is found but its wait: it may wait for another coroutine's end */
	/* more is found: a wake was lost, or an error ended who would have made it; a group's first member decides */
	bool has_story;
	/* it ended the program, perhaps because it saw that it hangs: not the cause of the hang */
	bool is_end;
	/* others wait because of it: it comes first, as the findings of a rule that is a cause do */
	bool is_cause;
	bool is_newest_first; /* among its like: those that began last are the telling ones */
	ct_time since;
	ct_time until; /* when it was over; 0: it goes on, or ended with the coroutine */
	uint64_t nr_lost;
	uint32_t first_claim; /* in analysis->claims: the claims of its proof, if it was Proven */
	uint32_t nr_claims;
};

/* The last events are shown for this many members of a finding. */
#define GROUP_EXAMPLES 10u
#define MEMBER_EVENTS 8u

struct member_events {
	struct ct_event at[MEMBER_EVENTS];              /* a ring buffer */
	char text[MEMBER_EVENTS][CTP_LOG_TEXT_MAX + 1]; /* text of messages, from their details */
	uint64_t count;
	uint32_t wait_site;  /* of its last suspend, with its own stack; 0: no suspend was seen */
	uint32_t spawn_site; /* of its creation, with its own stack; 0: not seen */
};

/* Candidates that share a rule, a site and a cause: analysis->candidates[first, first + count). */
struct group {
	uint32_t first;
	uint32_t count;
	uint32_t nr_peers; /* 0: not counted */
	uint32_t nr_examples;
	struct member_events **examples; /* of the first members; in the scratch arena */
	struct hot_run *hot; /* samples of the first member's run; NULL: it is about no run */
	/* in the report's arena, made after the second reading */
	struct ct_picture picture;
	/*
	 * A coroutine that the first member started, directly or not, and that is a member of another finding; 0:
	 * none.
	 */
	uint32_t descendant;
	/* coroutines that wait for the end of members, and have no finding of their own */
	uint32_t nr_parents;
	uint32_t parent; /* the first of these parents; 0: none */
	/* a finding about the program's end for which another group gives a reason */
	bool is_last;
	unsigned rank; /* enum rank of consequences.h */
	/* of a circle: how many waits have ended where its first member waits; 0: not known */
	uint64_t nr_ended;
	uint32_t lacked_by; /* the coroutine that waits for it, an odd one (odd_ones.h); 0: none */
};

/* Since when a process as a whole stands still, and what could still make it go on (stillness.c). */
struct stillness {
	/* the last time that any coroutine changed its state; not before the observation began */
	ct_time moment;
	/* coroutines that run on threads that the engine did not see asleep */
	uint32_t nr_running;
	/* of these, coroutines on threads that the engine saw on a processor */
	uint32_t nr_computing;
	/* an open descriptor that the outside can make ready: a listener, or one armed or waited for; 0: none */
	uint32_t outside_descriptor;
	/* `outside_descriptor` is not only a listener that nobody but the process itself has connected to */
	bool is_open_to_others;
	bool hears_datagrams; /* a socket of datagrams is armed or waited for: anybody may send, even the first time */
	uint32_t outside_thread; /* a thread that waits for files or other processes; 0: none */
	/* a thread in a wait with a time-out that has not run out since `moment`; 0: none */
	uint32_t clock_thread;
	bool has_deadline; /* a coroutine waits for the clock */
	bool waits_for_process;
	bool waits_for_network;
	bool waits_for_clients; /* a coroutine waits for the network, to accept clients */
	bool is_told;           /* a finding says which coroutines are stuck */
	bool is_clock_told;     /* a remark says that the process may wait for the clock */
};

struct analysis {
	const struct rules *rules;
	struct model *model;
	const struct ct_tables *tables;
	struct arena *arena; /* of the report */
	struct arena scratch;
	struct party *parties;    /* by process; in the scratch arena */
	struct stillness *stills; /* by process; in the scratch arena */
	bool *is_told;            /* by coroutine: a candidate names it; in the scratch arena */
	struct ties ties;
	/* by coroutine: the one that leads its circle of givers (giver_circle.h); 0: none; in the scratch arena */
	uint32_t *circles;
	/* by coroutine: the circle of wakers to which its chain leads (waker_circle.h); in the scratch arena */
	struct waker_chain *waker_chains;
	/* by place: the innermost line of a Python library that was reached from there; [0]: 1 once that is known */
	uint32_t *inners;
	/* by place: who alone took what was sent from its line (ended_taker.h); also there */
	struct ended_taker_known *sole_takers;
	/* by object: the first coroutine that has permits of it; 0: none; also there */
	uint32_t *permit_first;
	uint32_t *permit_next; /* by coroutine: the next one with permits of the same object */
	/* by place: when the last wait for a lock that goes on there began (same_locks.h); also there */
	ct_time *lock_waits;
	/* by place: the living coroutines that were started there (successors.h); in the scratch arena */
	uint32_t *nr_living_of;
	/* by place: the only one of them */
	uint32_t *only_started;
	struct telling *telling;
	/* events were left out all the time: coroutines or categories */
	bool has_left_out;
	bool was_paused;                        /* events were left out for a time */
	const struct ct_thresholds *thresholds; /* NULL: no place is allowed */
	int64_t limits[CT_NR_THRESHOLDS];       /* the thresholds in force */
	/* by site: no finding is wanted there; NULL: wanted everywhere; in the scratch arena */
	bool *is_place_allowed;
	uint64_t nr_allowed;   /* candidates at such places, which are not reported */
	uint64_t why_coro;     /* the coroutine that `why` asks about; 0: none */
	const char *path_task; /* the task whose path is asked for; NULL: none */
	enum ct_by by;         /* the breakdown that is asked for; NONE: none */
	enum ct_sort sort;
	uint32_t max_rows;               /* of the breakdown; 0: the default */
	uint64_t why_pid;                /* process of why_coro; 0: any */
	bool has_samples;                /* the kernel told of some thread where it was */
	struct long_runs *long_runs;     /* of why_coro and of others; NULL: none is asked about */
	const struct analyze_live *live; /* its pid is 0 if no process was looked at */
	uint32_t least_ended;            /* passed to model_release_from */
	VEC(struct model_asked) kept;    /* records that earlier readings gave back too early */
	VEC(struct candidate) candidates;
	size_t nr_earlier; /* of candidates: those of rules before the one that finds its own now */
	VEC(struct group) groups;
	struct claims claims;
	VEC(const char *) remarks;
	bool is_broken;
};

/* LIMIT: the threshold with this name of thresholds.def. */
#define LIMIT(analysis, name) ((analysis)->limits[CT_THRESHOLD_##name])

/*
 * analyze_array: returns room for an array of the report, zeroed. analyze_scratch: the same, for an array that lasts
 * until the judgement ends. analyze_kept: returns a copy of an array, for the report. NULL: there is no memory, and
 * `is_broken` is set.
 */
static inline void *analyze_array(struct analysis *analysis, size_t count, size_t size)
{
	void *array = arena_array(analysis->arena, count, size);

	analysis->is_broken |= !array;
	return array;
}

static inline void *analyze_scratch(struct analysis *analysis, size_t count, size_t size)
{
	void *array = arena_array(&analysis->scratch, count, size);

	analysis->is_broken |= !array;
	return array;
}

static inline void *analyze_kept(
	struct analysis *analysis, const void *array, size_t count, size_t size)
{
	void *kept = analyze_array(analysis, count, size);

	if (kept && count)
		memcpy(kept, array, count * size);
	return kept;
}

/*
 * analyze_stillness_doubt: returns what in the kernel's accounts of a thread speaks against the claim that it has
 * computed since its last event: the thread hardly got a processor, or the accounts do not say. NR_REASONS: nothing
 * speaks against it.
 */
enum reason analyze_stillness_doubt(const struct analysis *analysis, uint32_t thread);

static inline const struct model_coro *coro_at(const struct analysis *analysis, uint32_t index)
{
	return &analysis->model->coros.at[index];
}

/* is_ready: does the coroutine wait only for a thread? ready_since: since when it does. */
static inline bool is_ready(const struct model_coro *coro)
{
	return coro->state == CT_STATE_READY ||
	       (coro->state == CT_STATE_UNSEEN && coro->turns->queue_thread);
}

static inline ct_time ready_since(const struct model_coro *coro)
{
	return coro->turns->queue_thread ? coro->turns->queued : coro->changed;
}

/* thread_is_seen: has the engine looked at the thread since its last event? */
static inline bool thread_is_seen(const struct model_thread *thread)
{
	return thread->seen != CT_NO_TIME && thread->seen >= thread->last_event;
}

/* thread_last_sign: the time of its last event, or by which it had dropped its last one. */
static inline ct_time thread_last_sign(const struct model_thread *thread)
{
	return thread->dropped > thread->last_event ? thread->dropped : thread->last_event;
}

/* thread_is_computing: was the thread on a processor at each look since its last event? */
static inline bool thread_is_computing(const struct model_thread *thread)
{
	return thread_is_seen(thread) && thread->nr_looks &&
	       thread->nr_looks_running == thread->nr_looks;
}

/* thread_is_over: had the thread ended by `end`? */
static inline bool thread_is_over(const struct model_thread *thread, ct_time end)
{
	return thread->stopped != CT_NO_TIME && thread->stopped <= end;
}

#define TIMES_LONGER \
	10 /* a wait is long if it has taken so many times longer than any other there took */

/* analyze_waited_ns: how long the coroutine has waited when the observation of its process ends. */
static inline int64_t analyze_waited_ns(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return ct_time_between(coro->suspended, analysis->parties[coro->process].end);
}

/*
 * analyze_candidate_is_allowed: is the candidate at a place that the user does not want reported: where it waits,
 * where it was started, or where its cause lies? analyze_candidate_add drops such a candidate; a rule that makes one
 * finding of several candidates asks before it adds them.
 */
bool analyze_candidate_is_allowed(
	const struct analysis *analysis, const struct candidate *candidate);

/* analyze_rule_of: returns the rule that added the candidate. */
static inline const struct rule *analyze_rule_of(
	const struct analysis *analysis, const struct candidate *candidate)
{
	return analysis->rules->by_number[candidate->rule];
}

/* analyze_candidate_add: adds a copy of the candidate. From then on its coroutine counts as named by a finding. */
void analyze_candidate_add(struct analysis *analysis, const struct candidate *candidate);

/*
 * analyze_watch_of: returns what the rule's watcher has recorded. analyze_watch_by: returns what a watcher of the
 * judgement has recorded.
 */
const struct model_watch *analyze_watch_by(
	const struct analysis *analysis, const struct model_watcher *watcher);
const struct model_watch *analyze_watch_of(
	const struct analysis *analysis, const struct rule *rule);

/* analyze_candidate_explains: does it say why something is stuck, or which coroutines are? */
bool analyze_candidate_explains(const struct analysis *analysis, const struct candidate *candidate);

/*
 * analyze_candidate_is_there: has this rule added a candidate for this coroutine? With coro 0: for anything in the
 * process?
 */
bool analyze_candidate_is_there(
	const struct analysis *analysis, enum ct_rule rule, uint32_t process, uint32_t coro);

/*
 * analyze_candidate_settle: checks whether the process has been quiet since `since`. If not, the grade becomes at
 * most Likely, provided that the grace has passed. False: the grace has not passed, and nothing may be said yet.
 */
bool analyze_candidate_settle(
	struct analysis *analysis, struct candidate *candidate, ct_time since);

/* analyze_candidate_lower: lowers the grade by one, for this reason, if there is a lower one. A grade never rises. */
void analyze_candidate_lower(struct candidate *candidate, enum reason reason);

/* analyze_candidate_limit: lowers the grade to `grade`, for this reason, if it was higher. */
void analyze_candidate_limit(struct candidate *candidate, enum ct_grade grade, enum reason reason);

/*
 * analyze_candidate_limit_for_doer: limits the grade if the coroutine `coro` (0: none), which did something wrong at
 * `time`, may still make up for it: it waits for the clock and its deadline has not passed, or it is ready. The grade
 * becomes at most Suspect, or at most Likely if the coroutine has been resumed since `time`.
 */
void analyze_candidate_limit_for_doer(
	const struct analysis *analysis, struct candidate *candidate, uint32_t coro, ct_time time);

/* The time from which missing events matter, if all of them do. */
#define FROM_THE_BEGINNING (INT64_MIN + 1)

/*
 * analyze_candidate_life_start: returns the time from which a missing event may have been a wake of this coroutine,
 * or a mark that excuses it: its creation, or the beginning of the trace if the creation was not seen.
 */
ct_time analyze_candidate_life_start(
	const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_candidate_lower_for_gaps: lowers the grade by one if events of the process are missing in the interval; to
 * at most Suspect if a whole piece of the trace is missing.
 */
void analyze_candidate_lower_for_gaps(
	struct analysis *analysis, struct candidate *candidate, ct_time from, ct_time until);

/*
 * analyze_candidate_outlives_gaps: lowers the grade in the same way. False: the grade cannot fall lower, so the
 * candidate must be dropped.
 */
bool analyze_candidate_outlives_gaps(
	struct analysis *analysis, struct candidate *candidate, ct_time from, ct_time until);

/*
 * analyze_candidate_limit_for_lost_steps: limits the grade to Suspect if events of the coroutine's life are missing,
 * and if changes of state that do not fit show that steps of coroutines are among them: the wait may be over.
 */
void analyze_candidate_limit_for_lost_steps(
	const struct analysis *analysis, struct candidate *candidate);

/* Two events that contradict each other if no event between them is missing. */
struct contradiction {
	uint32_t process;
	uint32_t threads[2]; /* the threads that wrote them; 0: not known */
	ct_time times[2];
};

/*
 * analyze_contradiction_has_gap: are events missing between the two on either thread? If a thread is not known: on
 * any thread? Then there is no finding, because a missing event most often resolves the contradiction.
 */
bool analyze_contradiction_has_gap(
	const struct analysis *analysis, const struct contradiction *contradiction);

/* ---------------------------------------------------------------- from candidates to findings */

/* analyze_group_candidates: sorts candidates into groups, the gravest first. */
void analyze_group_candidates(struct analysis *analysis);

/*
 * analyze_frames_tell: adds evidence that says where the group's first member waits and was started, with the
 * callers, if the trace has stacks. Call after analyze_evidence_collect.
 */
void analyze_frames_tell(struct analysis *analysis, const struct group *group, struct story *story);

/* analyze_evidence_collect: reads the source again, and collects the members' last events and the number of peers. */
enum ct_status analyze_evidence_collect(
	struct analysis *analysis, struct ct_source *source, struct ct_error *reterr);

/* analyze_group_first: returns the group's first member, by which the group is judged; the others follow it. */
static inline const struct candidate *analyze_group_first(
	const struct analysis *analysis, const struct group *group)
{
	return &analysis->candidates.at[group->first];
}

/* analyze_group_has: is the coroutine a member of the group? */
bool analyze_group_has(const struct analysis *analysis, const struct group *group, uint32_t coro);

/*
 * analyze_groups_remove: removes the groups whose flag is set; the others keep their order. analyze_groups_fold:
 * removes the groups for which `is_second` returns true; it is asked about every group before the first one is
 * removed.
 */
void analyze_groups_remove(struct analysis *analysis, const bool *is_folded);
void analyze_groups_fold(struct analysis *analysis,
	bool (*is_second)(const struct analysis *analysis, const struct group *group));

/*
 * analyze_group_finding: makes the finding of a group. analyze_group_tell: makes only the steps of the finding, in
 * order, before the second reading; the caller frees them by analyze_story_fini.
 */
void analyze_group_tell(struct analysis *analysis, const struct group *group, struct story *story);
void analyze_group_finding(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);

/*
 * analyze_quality_fill: fills in what is known about the observation. analyze_quality_remark: adds one remark to the
 * report. analyze_quality_remarks: adds all remarks on the observation.
 */
void analyze_quality_fill(struct analysis *analysis, struct ct_quality *quality);
void analyze_quality_remark(struct analysis *analysis, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void analyze_quality_remarks(struct analysis *analysis);

/*
 * analyze_why_check: returns CT_ERR_NOT_FOUND if the process that the user asks about is not in the trace.
 * analyze_why_tell: writes into report->why the chain that explains what the coroutine waits for that the user asks
 * about. Writes nothing if the user asks about none.
 */
enum ct_status analyze_why_check(const struct analysis *analysis, struct ct_error *reterr);
void analyze_why_tell(struct analysis *analysis, struct ct_report *report);

/* analyze_why_find: returns the index of the coroutine that the user asks about; 0: it is not in the trace. */
uint32_t analyze_why_find(const struct analysis *analysis);

/* analyze_await_graph_tell: writes into report->awaits who waits for whom around the coroutine. */
void analyze_await_graph_tell(struct analysis *analysis, uint32_t coro, struct ct_report *report);

/* analyze_advice_export: writes the advice into the report: integration calls that would make waits judgeable. */
void analyze_advice_export(struct analysis *analysis, struct ct_report *report);

/*
 * analyze_waiting_list: lists the places at which coroutines wait at the end. analyze_waiting_add_ended: adds the waits
 * at that place that have ended.
 */
void analyze_waiting_add_ended(const struct analysis *analysis, struct ct_waiting *waiting);
void analyze_waiting_list(struct analysis *analysis, struct ct_report *report);

/*
 * analyze_annotations_waits: returns `waited` (ns by enum ctp_resource) as a list in the report's arena, the longest
 * first.
 */
const struct ct_wait_time *analyze_annotations_waits(
	struct analysis *analysis, const int64_t *waited, uint32_t *ret_count);

/* analyze_annotations_export: writes tasks, regions and counters into the report. */
void analyze_annotations_export(struct analysis *analysis, struct ct_report *report);

/*
 * analyze_task_path_export: writes the path of the task that the user asked for, if any: the way back from its end.
 * Reads the source again. CT_ERR_NOT_FOUND: the task is not in the trace.
 */
enum ct_status analyze_task_path_export(struct analysis *analysis, struct ct_source *source,
	struct ct_report *report, struct ct_error *reterr);

/*
 * analyze_breakdown_export: writes the breakdown that the user asked for, if any. Reads the source again.
 * analyze_breakdown_is_wanted: did the user ask for a breakdown? If so, the model must keep all coroutines.
 */
bool analyze_breakdown_is_wanted(const struct analysis *analysis);
enum ct_status analyze_breakdown_export(struct analysis *analysis, struct ct_source *source,
	struct ct_report *report, struct ct_error *reterr);

/*
 * analyze_statistics_distribution: returns the distribution of a histogram. analyze_statistics_times: converts ns by
 * enum ct_state, up to CT_STATE_WAITING.
 */
struct ct_distribution analyze_statistics_distribution(const struct histogram *histogram);
struct ct_times analyze_statistics_times(const int64_t *spent);

/* analyze_sizes_export: writes what frames take, by function. */
void analyze_sizes_export(struct analysis *analysis, struct ct_statistics *statistics);

/*
 * analyze_runtime_export: writes what runtimes did besides running coroutines. analyze_utilization_export: writes how
 * much of the processors a runtime left to the program.
 */
void analyze_runtime_export(struct analysis *analysis, struct ct_report *report);
void analyze_utilization_export(struct analysis *analysis, const struct model_runtime *runtime,
	ct_time until, struct ct_runtime *ret_runtime);

/* analyze_statistics_export: writes how the time was spent. */
void analyze_statistics_export(struct analysis *analysis, struct ct_statistics *statistics);

#endif
