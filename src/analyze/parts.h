/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the judgement.
 *
 * Rules are functions of the model (rule.h): each looks through it and adds candidates, one for each
 * coroutine that it is true of. Candidates of one cause become a group, groups become
 * findings. Between the two a second reading of the source collects the evidence for the groups.
 *
 * A failed allocation sets `is_broken`; what follows then does nothing of value, and analyze_source
 * reports it once at the end.
 */
#ifndef ANALYZE_PARTS_H
#define ANALYZE_PARTS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "analyze/analyze.h"
#include "analyze/party.h"
#include "analyze/reason.h"
#include "analyze/rule.h"
#include "analyze/sentences.h"
#include "analyze/stillness.h"
#include "analyze/story.h"
#include "analyze/thresholds.h"
#include "analyze/ties.h"
#include "base/arena.h"
#include "model/model.h"
#include "claim/claim.h"

struct story;

struct candidate {
	enum ct_rule rule;
	enum ct_grade grade;
	uint32_t process;
	uint32_t coro; /* index in the model; 0: none */
	uint32_t wait_site;
	uint32_t cause_site;
	uint32_t variant;    /* what else tells causes of one rule apart; the rule's own */
	uint32_t descriptor; /* index in the model; 0: none */
	uint32_t crash;      /* index in the model's crashes, plus 1; 0: none */
	uint32_t subject;    /* conflict, ghost, object or thread: the rule's own index */
	uint32_t opposite;   /* a second one */
	uint64_t reasons;    /* bits REASON(...) */
	bool is_bare; /* nothing but that it waits is found: it may wait for another one's end */
	bool is_end; /* how the program was ended, by one that may have seen that it hangs: not why it does */
	ct_time since;
	uint64_t nr_lost;
	uint32_t first_claim; /* in analysis->claims: on what it rests, where it was Proven */
	uint32_t nr_claims;
};

/* As many members of a finding carry their last events. */
#define GROUP_EXAMPLES 10u
#define MEMBER_EVENTS 8u

struct member_events {
	struct ct_event at[MEMBER_EVENTS];              /* a ring */
	char text[MEMBER_EVENTS][CTP_LOG_TEXT_MAX + 1]; /* of messages: what their details tell */
	uint64_t count;
	uint32_t wait_site;  /* of its last suspend, with its own stack; 0: none was seen */
	uint32_t spawn_site; /* likewise, of its creation */
};

/* Candidates that share a rule, a site and a cause: analysis->candidates[first, first + count). */
struct group {
	uint32_t first;
	uint32_t count;
	uint32_t nr_peers; /* 0: not counted */
	uint32_t nr_examples;
	struct member_events **examples; /* of the first members; in the scratch arena */
	struct ct_picture picture;       /* in the report's arena, after the second reading */
	/* A coroutine that the first member started, directly or not, and that another finding tells of; 0: none. */
	uint32_t descendant;
	uint32_t
		nr_parents; /* that wait for the end of members, and have no finding of their own */
	uint32_t parent;    /* the first of these; 0: none */
	bool is_last;       /* an end of the program for which another group is a reason */
};

/* Since when a process as a whole stands still, and what could set it going again: stillness.c. */
struct stillness {
	ct_time moment; /* the last time that any coroutine entered a state; not before the observation */
	uint32_t nr_running;   /* coroutines, on threads that were not seen asleep */
	uint32_t nr_computing; /* of these, on threads that were seen on a processor */
	/* open listener, or armed or waited for, that the outside makes ready; 0: none */
	uint32_t outside_descriptor;
	uint32_t outside_thread; /* that waits for files or other processes; 0: none */
	/* in a wait with a time-out that has not run out since `moment`; 0: none */
	uint32_t clock_thread;
	bool has_deadline; /* a coroutine waits for the clock */
	bool waits_for_process;
	bool waits_for_network;
	bool waits_for_clients; /* a coroutine waits for the network, to accept whoever comes */
	bool is_told;           /* a finding says who is stuck */
	bool is_clock_told;     /* a remark says that it may wait for the clock */
};

struct analysis {
	const struct rules *rules;
	struct model *model;
	const struct ct_tables *tables;
	struct arena *arena; /* of the report */
	struct arena scratch;
	struct party *parties;    /* by process; in the scratch arena */
	struct stillness *stills; /* likewise */
	bool *is_told;            /* by coroutine: a finding speaks of it; in the scratch arena */
	struct ties ties;
	struct telling *telling;
	bool has_left_out;                      /* of any time: coroutines, categories */
	bool was_paused;                        /* for a time */
	const struct ct_thresholds *thresholds; /* NULL: no place is allowed */
	int64_t limits[CT_NR_THRESHOLDS];       /* what holds */
	bool *is_place_allowed;                 /* by site; NULL: none is; in the scratch arena */
	uint64_t nr_allowed;   /* candidates at such places, of which nothing is said */
	uint64_t why_coro;     /* 0: nobody asks */
	const char *path_task; /* NULL: none */
	enum ct_by by;         /* a breakdown, which; NONE: none */
	enum ct_sort sort;
	uint32_t max_rows;               /* of it; 0: as usual */
	uint64_t why_pid;                /* 0: of any process */
	const struct analyze_live *live; /* its pid is 0 where no process was looked at */
	uint32_t least_ended;            /* model_release_from */
	VEC(struct model_asked) kept;    /* what readings before this one were asked for */
	VEC(struct candidate) candidates;
	VEC(struct group) groups;
	struct claims claims;
	VEC(const char *) remarks;
	bool is_broken;
};

/* LIMIT: the threshold with this name of thresholds.def. */
#define LIMIT(analysis, name) ((analysis)->limits[CT_THRESHOLD_##name])

/*
 * analyze_stillness_doubt: what the kernel counted of a thread speaks against its having computed since its last event:
 * it was hardly let run, or that is not known. NR_REASONS: nothing.
 */
enum reason analyze_stillness_doubt(const struct analysis *analysis, uint32_t thread);

/* is_ready: does it wait for a thread only? ready_since: since when it does. */
static inline bool is_ready(const struct model_coro *coro)
{
	return coro->state == CT_STATE_READY ||
	       (coro->state == CT_STATE_UNSEEN && coro->turns->queue_thread);
}

static inline ct_time ready_since(const struct model_coro *coro)
{
	return coro->turns->queue_thread ? coro->turns->queued : coro->changed;
}

/* thread_is_seen: has the engine looked at it since it last wrote anything? */
static inline bool thread_is_seen(const struct model_thread *thread)
{
	return thread->seen != CT_NO_TIME && thread->seen >= thread->last_event;
}

/* thread_is_computing: was it on a processor at each look since then? */
static inline bool thread_is_computing(const struct model_thread *thread)
{
	return thread_is_seen(thread) && thread->nr_looks &&
	       thread->nr_looks_running == thread->nr_looks;
}

/* thread_is_over: had it ended by then? */
static inline bool thread_is_over(const struct model_thread *thread, ct_time end)
{
	return thread->stopped != CT_NO_TIME && thread->stopped <= end;
}

/*
 * analyze_candidate_is_allowed: does it wait, was it started, or does its cause lie at a place of which nothing is to
 * be said? analyze_candidate_add leaves out such a one; where several make one finding, whoever adds them asks first.
 */
bool analyze_candidate_is_allowed(
	const struct analysis *analysis, const struct candidate *candidate);

/* analyze_candidate_add: a copy; its coroutine is told of from then on. */
void analyze_candidate_add(struct analysis *analysis, const struct candidate *candidate);

/* analyze_watch_of: what a rule that watches has kept. analyze_watch_by: the same, of a watcher of the judgement. */
const struct model_watch *analyze_watch_by(
	const struct analysis *analysis, const struct model_watcher *watcher);
const struct model_watch *analyze_watch_of(
	const struct analysis *analysis, const struct rule *rule);

/* analyze_candidate_is_there: has this rule said so of this coroutine; or, with 0, of any of the process? */
bool analyze_candidate_is_there(
	const struct analysis *analysis, enum ct_rule rule, uint32_t process, uint32_t coro);

/*
 * analyze_candidate_settle: was the process quiet since `since`? If not: at most Likely once the grace has
 * passed. False: it is too early to say anything.
 */
bool analyze_candidate_settle(
	struct analysis *analysis, struct candidate *candidate, ct_time since);

/* analyze_candidate_lower: one grade down, for the reason, where there is a lower one. A grade never rises. */
void analyze_candidate_lower(struct candidate *candidate, enum reason reason);

/* analyze_candidate_limit: no higher than `grade`, for the reason where it was. */
void analyze_candidate_limit(struct candidate *candidate, enum ct_grade grade, enum reason reason);

/*
 * analyze_candidate_limit_for_doer: the coroutine (0: none) that did something wrong at `time` may still make up for it
 * where it waits for the clock, with its moment still to come, or lies in a queue: Suspect at most, or Likely where it
 * has run in between, and did not.
 */
void analyze_candidate_limit_for_doer(
	const struct analysis *analysis, struct candidate *candidate, uint32_t coro, ct_time time);

/* From when on events matter, where all do. */
#define FROM_THE_BEGINNING (INT64_MIN + 1)

/*
 * analyze_candidate_life_start: from when on a missing event may have been a wake of this coroutine, or a mark that
 * excuses it: from its creation on; from the beginning where that was not seen.
 */
ct_time analyze_candidate_life_start(
	const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_candidate_lower_for_gaps: one grade down where events of the process are missing in the interval; Suspect at
 * most where a piece of the trace is.
 */
void analyze_candidate_lower_for_gaps(
	struct analysis *analysis, struct candidate *candidate, ct_time from, ct_time until);

/* analyze_candidate_outlives_gaps: the same; false where it can fall no lower, so that nothing is to be said. */
bool analyze_candidate_outlives_gaps(
	struct analysis *analysis, struct candidate *candidate, ct_time from, ct_time until);

/*
 * analyze_candidate_limit_for_lost_steps: Suspect at most where events since its beginning are missing, and changes of
 * state that do not fit show that steps of coroutines are among those: a wait may be over by now.
 */
void analyze_candidate_limit_for_lost_steps(
	const struct analysis *analysis, struct candidate *candidate);

/* Two events that cannot both be, where nothing is missing between them. */
struct contradiction {
	uint32_t process;
	uint32_t threads[2]; /* that wrote them; 0: not known */
	ct_time times[2];
};

/*
 * analyze_contradiction_has_gap: are events missing on either thread between the two, or on one that is not known? Then
 * it is no finding at all: what clears it up is most often among those.
 */
bool analyze_contradiction_has_gap(
	const struct analysis *analysis, const struct contradiction *contradiction);

/* ---------------------------------------------------------------- from candidates to findings */

/* analyze_group_candidates: sorts candidates into groups, the gravest first. */
void analyze_group_candidates(struct analysis *analysis);

/*
 * analyze_frames_tell: evidence of where the group's first member waits and was started, with who called, where the
 * trace tells that. Behind analyze_evidence_collect.
 */
void analyze_frames_tell(struct analysis *analysis, const struct group *group, struct story *story);

/* analyze_evidence_collect: reads the source again for the members' last events and the peers. */
enum ct_status analyze_evidence_collect(
	struct analysis *analysis, struct ct_source *source, struct ct_error *reterr);

/*
 * analyze_groups_remove: those whose flag is set, in the order of the groups. analyze_groups_fold: those of which this
 * is true while all are there.
 */
void analyze_groups_remove(struct analysis *analysis, const bool *is_folded);
void analyze_groups_fold(struct analysis *analysis,
	bool (*is_second)(const struct analysis *analysis, const struct group *group));

/*
 * analyze_group_finding: makes a group's finding. analyze_group_tell: its steps alone, in order, before the second
 * reading; analyze_story_fini gives them back.
 */
void analyze_group_tell(struct analysis *analysis, const struct group *group, struct story *story);
void analyze_group_finding(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);

/*
 * analyze_quality_fill: what is known about the observation. analyze_quality_remark: one more sentence to say besides.
 * analyze_quality_remarks: all that the observation is worth.
 */
void analyze_quality_fill(struct analysis *analysis, struct ct_quality *quality);
void analyze_quality_remark(struct analysis *analysis, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void analyze_quality_remarks(struct analysis *analysis);

/*
 * analyze_why_check: CT_ERR_NOT_FOUND where a process is asked about that is not in the trace.
 * analyze_why_tell: the chain that explains what the coroutine waits for that is asked about, into report->why. Nothing
 * where there is none.
 */
enum ct_status analyze_why_check(const struct analysis *analysis, struct ct_error *reterr);
void analyze_why_tell(struct analysis *analysis, struct ct_report *report);

/* analyze_await_graph_tell: who waits for whom around the coroutine, into report->awaits. */
void analyze_await_graph_tell(struct analysis *analysis, uint32_t coro, struct ct_report *report);

/* analyze_advice_export: the lines of integration that would let waits be judged which are not. */
void analyze_advice_export(struct analysis *analysis, struct ct_report *report);

/* analyze_waiting_list: the places at which coroutines wait at the end. */
void analyze_waiting_list(struct analysis *analysis, struct ct_report *report);

/* analyze_annotations_waits: ns by enum ctp_resource as a list in the report's arena, the longest first. */
const struct ct_wait_time *analyze_annotations_waits(
	struct analysis *analysis, const int64_t *waited, uint32_t *ret_count);

/* analyze_annotations_export: tasks, regions and counters into the report. */
void analyze_annotations_export(struct analysis *analysis, struct ct_report *report);

/*
 * analyze_task_path_export: the way back through the task that was asked for, where one was. Reads the source again.
 * CT_ERR_NOT_FOUND: it is not in the trace.
 */
enum ct_status analyze_task_path_export(struct analysis *analysis, struct ct_source *source,
	struct ct_report *report, struct ct_error *reterr);

/*
 * analyze_breakdown_export: the breakdown that was asked for, where one was. Reads the source again.
 * analyze_breakdown_is_wanted: was one? Then the model has to keep all coroutines.
 */
bool analyze_breakdown_is_wanted(const struct analysis *analysis);
enum ct_status analyze_breakdown_export(struct analysis *analysis, struct ct_source *source,
	struct ct_report *report, struct ct_error *reterr);

/*
 * analyze_statistics_distribution: what a histogram tells. analyze_statistics_times: ns by enum ct_state, up to
 * CT_STATE_WAITING.
 */
struct ct_distribution analyze_statistics_distribution(const struct histogram *histogram);
struct ct_times analyze_statistics_times(const int64_t *spent);

/* analyze_runtime_export: what runtimes did besides. analyze_utilization_export: what they left to the program. */
void analyze_runtime_export(struct analysis *analysis, struct ct_report *report);
void analyze_utilization_export(struct analysis *analysis, const struct model_runtime *runtime,
	ct_time until, struct ct_runtime *ret_runtime);

/* analyze_statistics_export: where the time went. */
void analyze_statistics_export(struct analysis *analysis, struct ct_statistics *statistics);

#endif
