/* SPDX-License-Identifier: MIT */
/*
 * The contents of a report: findings and their evidence, the quality of the data, what the program said of itself, and
 * where the time went. A part of ct.h, which makes reports (ct_analyze).
 *
 * All arrays and texts belong to the report, and are valid until ct_report_free. Times are nanoseconds since the
 * trace's epoch, sites, threads and processes indexes into its tables, 0 for none.
 */
#ifndef COROTRACER_REPORT_H
#define COROTRACER_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/event.h"
#include "corotracer/integration.h"
#include "corotracer/picture.h"
#include "corotracer/runtime.h"
#include "corotracer/standing.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ----------------------------------------------------------------------- the model */

/* The states of a coroutine, and the order in which it goes through them. */
enum ct_state {
	CT_STATE_UNSEEN = 0, /* created, not yet seen running */
	CT_STATE_READY,      /* woken, not yet running */
	CT_STATE_RUNNING,
	CT_STATE_WAITING, /* suspended */
	CT_STATE_SYSCALL, /* in a system call, with its thread (P-101) */
	CT_STATE_DONE,    /* it ran to its end */
	CT_STATE_DESTROYED,
};

/* ct_state_name: the state in a word; never NULL. */
const char *ct_state_name(enum ct_state state);

/* One coroutine, as its events so far tell. Sites are indexes into ct_tables.sites; 0: not known. */
struct ct_coro {
	uint64_t id;
	uint32_t process;
	enum ct_state state;
	ct_time created; /* CT_NO_TIME: it was first seen in the middle of its life */
	ct_time changed; /* when it entered its present state */
	ct_time destroyed;
	uint64_t parent; /* id of the coroutine that created it; 0: a thread did */
	uint32_t spawn_site;
	uint32_t function_site;
	uint32_t wait_site;   /* where it suspended last */
	uint64_t wait_object; /* what for: a resource handle */
	uint64_t frame;       /* address; 0: not known */
	uint32_t thread;      /* the one it runs on, or ran on last */
	uint8_t mark;         /* enum ctp_mark, or 0 */
	bool was_seen_from_start;
	bool is_yielding; /* suspended at a yield: it waits for nothing but its turn */
	uint64_t nr_resumes;
	uint64_t nr_wakes;
	uint64_t last_event;   /* sequence number */
	ct_time waker_time;    /* the last wake for it, CT_NO_TIME: none */
	uint8_t waker_outcome; /* enum ctp_outcome */
};

/* --------------------------------------------------------------------- the judgement */

enum ct_grade {
	CT_GRADE_NONE = 0,
	CT_GRADE_SUSPECT = 1, /* age or shape alone */
	CT_GRADE_LIKELY = 2,  /* a threshold is passed, and an independent fact agrees */
	CT_GRADE_PROVEN = 3,  /* a contradiction in a window without gaps */
};

/* ct_grade_name: the grade in a word; never NULL. */
const char *ct_grade_name(enum ct_grade grade);

/* The tables' macros: who includes this has its own back behind them. */
#pragma push_macro("X")
#pragma push_macro("B")
#pragma push_macro("S")
#undef X
#undef B
#undef S

/* Facts that a program does not tell, without which a wait cannot be judged (lacks.def). */
enum ct_lack {
	CT_LACK_NONE = 0,
#define X(name, text, meaning) CT_LACK_##name,
#include "corotracer/def/lacks.def"
#undef X
	CT_NR_LACKS,
};

/* ct_standing_name: what is said of the observation, in a word; never NULL. */
const char *ct_standing_name(enum ct_standing_kind kind);

/* ct_lack_name: the fact in a word; never NULL. */
const char *ct_lack_name(enum ct_lack lack);

enum ct_rule {
	CT_RULE_NONE = 0,
#define X(name, number, file, text, says, wrong_if, next_step) CT_RULE_##name = number,
#include "corotracer/def/findings.def"
#undef X
	CT_NR_RULES = 1
#define X(name, number, file, text, says, wrong_if, next_step) +1
#include "corotracer/def/findings.def"
#undef X
};

/*
 * ct_rule_name: as reports and options have it, "lost-wakeup". ct_rule_says: what a finding of the rule says.
 * ct_rule_wrong_if: how it could be wrong. ct_rule_next_step: what to do next. All of them from def/findings.def, and
 * never NULL.
 */
const char *ct_rule_name(enum ct_rule rule);
const char *ct_rule_says(enum ct_rule rule);
const char *ct_rule_wrong_if(enum ct_rule rule);
const char *ct_rule_next_step(enum ct_rule rule);

/* One link of the causal chain, oldest first. */
struct ct_step {
	ct_time time;     /* CT_NO_TIME: a statement about the whole */
	const char *text; /* one sentence without the place and time: "closed descriptor 7" */
	uint32_t site;
	uint32_t thread;
	uint64_t coro;     /* that did it; 0: the thread itself, or not known */
	uint64_t sequence; /* of the event; UINT64_MAX: none */
	const char *
		by; /* who did it, "coroutine 3 (serve)", where the text does not say so; "": not known */
	bool is_outside; /* the thread itself, as far as its program tells when coroutines run */
};

/* One coroutine that a finding is about. */
struct ct_member {
	struct ct_coro coro; /* as it was at the end of observation */
	ct_time since;       /* it has been so since then */
	ct_time until; /* and until then: its destruction, or the end of what was seen of its process */
	/* its last events, oldest first; none beyond the first members */
	const struct ct_event *events;
	uint32_t nr_events;
	const char *resource; /* what it waits for, in words: "descriptor 7 (generation 3)" */
	/* For each event what the program said there: "GET /index.html", "request 4711"; else "" */
	const char *const *event_texts;
	const char *name; /* that the program gave the coroutine; "": none */
	const char *task; /* that it worked for at the end: "request 4711"; "": none */
	/* the event that ended its hope: the close of the descriptor; text "": not known */
	struct ct_step cause;
};

/* What a finding that a rule calls Proven says of single events, and whether they show it. */
struct ct_claim {
	const char *text; /* "no resume of coroutine 3 from event 120 to the end" */
	bool holds;
	uint64_t
		against; /* sequence number of the event that speaks against it; UINT64_MAX: none */
};

/* One finding. Texts and arrays belong to the report. */
struct ct_finding {
	enum ct_rule rule;
	enum ct_grade grade;
	uint32_t process;
	const char *title; /* one sentence: how many, where, what */
	const struct ct_member *members;
	uint32_t nr_members;
	uint32_t nr_peers; /* coroutines of the same kind, stuck or not: "47 of 50" */
	const char *peers; /* what makes them of one kind: "started at the same site" */
	const struct ct_step *steps;
	uint32_t nr_steps;
	const char *const *lowered; /* why the grade is lower than it could be, a sentence each */
	uint32_t nr_lowered;
	const char *const *evidence; /* further facts, a sentence each */
	uint32_t nr_evidence;
	uint32_t wait_site;  /* where the members wait; 0: not the same, or none */
	uint32_t cause_site; /* the place to look at first; 0: not known */
	/* the same, or else where most members wait, or where a step was; 0: no place is known */
	uint32_t look_site;
	const struct ct_waiting *waits_at; /* where members wait, where most do first; at most 8 */
	uint32_t nr_waits_at;
	uint64_t nr_lost_nearby; /* events lost on threads that are concerned */
	uint64_t first_sequence; /* evidence from this event; UINT64_MAX: no event tells of it */
	/* to this one: all that steps and members' events name lies between */
	uint64_t last_sequence;
	const char *next_step;     /* what to do now */
	struct ct_picture picture; /* of what happened, for the gravest findings */
	/* On what it rests, of its first member, where its rule called it Proven: one that does not hold lowered it. */
	const struct ct_claim *claims;
	uint32_t nr_claims;
};

/* The quality of the observation itself; printed before any finding. */
struct ct_quality {
	uint64_t nr_events;
	uint64_t nr_lost;
	uint64_t nr_left_out; /* missing, because they were not wanted; not among those lost */
	uint64_t nr_coros;
	uint64_t nr_coros_mid_life; /* first seen in the middle of their life */
	uint64_t nr_unseen;         /* created, never seen running, and still there */
	uint64_t nr_frames_reused;  /* addresses that served more than one coroutine */
	uint64_t nr_impossible; /* events left out of every statistic: their time cannot be true */
	uint64_t nr_unknown_kinds;
	uint64_t nr_broken_transitions;
	uint64_t nr_reordered; /* events put in order by what must hold */
	/* runs that the next one ended, since the word of their end came later */
	uint64_t nr_late_ends;
	int64_t reordered_ns;        /* how far at most: the clocks of two cores lie so far apart */
	uint64_t nr_unmatched_wakes; /* wakes whose target is not known */
	uint64_t nr_by_state[CT_STATE_DESTROYED + 1];
	uint64_t nr_yielding; /* of those waiting: suspended at a yield, and so for nothing */
	uint64_t nr_destroyed_waiting; /* of those destroyed: suspended, with no wake on its way */
	uint64_t nr_destroyed_woken;   /* likewise: woken, and not run since; the rest had ended */
	ct_time observed_from;
	ct_time observed_until;
	bool has_lower_grades; /* the losses or gaps above lower findings */
	uint64_t nr_allowed;   /* that would be found at places of which nothing is to be said */
	/* tables' and events' alike; nr_lost and nr_left_out are the sum */
	const struct ct_loss *losses;
	uint32_t nr_losses;
	uint64_t nr_of_runtime; /* coroutines that the runtime has for itself: in no number above */
};

/* A line of integration that the program lacks: with it, what waits there could be judged. */
struct ct_advice {
	enum ct_lack lack;
	uint32_t process;
	uint32_t site; /* where they wait; 0: not known */
	uint64_t nr_coros;
	const char *name; /* of what they await there, as the program has it; "": none */
	const char *text; /* what to add, and where: one sentence */
};

struct ct_times {
	int64_t unseen_ns; /* before it first ran; where it was suspended before that: was woken */
	int64_t ready_ns;
	int64_t running_ns;
	int64_t waiting_ns;
	int64_t syscall_ns; /* in system calls, with its thread, where the program tells that of coroutines */
};

/* For how long something of one kind was waited for: enum ctp_resource. */
struct ct_wait_time {
	unsigned resource;
	int64_t ns;
};

/*
 * The program's own words on what it does. Durations are of those that have ended; percentiles are at most 1/32 too
 * high, everything else is exact.
 */
struct ct_span { /* all tasks, or all regions, of one name */
	const char *name;
	uint32_t process;
	uint32_t site; /* the first one of the name */
	bool is_task;
	uint64_t nr_begun;
	uint64_t nr_ended;
	struct ct_going_on open;
	struct ct_distribution durations; /* of those that have ended */
	/*
	 * The times of the coroutines that worked for such a task, or had such a region open, up to the end where it
	 * goes on: more than the durations where several did at once, less where no coroutine did but a thread.
	 */
	struct ct_times times;
	const struct ct_wait_time *waits; /* of them, waiting: by what for, the longest first */
	uint32_t nr_waits;
};

struct ct_counter {
	const char *name;
	uint32_t process;
	uint32_t site;
	uint64_t nr_values;
	int64_t last;
	int64_t least;
	int64_t greatest;
	ct_time last_time;
};

struct ct_task {
	uint64_t id;
	uint32_t process;
	const char *name;
	ct_time begun;
	int64_t duration_ns; /* up to the end of observation where it goes on */
	bool is_open;
	uint64_t event;        /* sequence number of its beginning */
	struct ct_times times; /* of the coroutines that worked for it, as of a span */
};

/*
 * Where the time went. All is counted while it was observed, in nanoseconds; percentiles are at most 1/32 too high,
 * everything else is exact: a coroutine's times before its first run, ready, running and waiting add up to its life,
 * and a worker's times to the time in which it was observed.
 */
/* A place at which coroutines wait, or wake others, or (not having waited yet) are started. */
struct ct_place {
	uint32_t site; /* 0: not known */
	uint32_t process;
	struct ct_distribution waits;  /* up to the wake */
	struct ct_distribution delays; /* from then until they ran: the scheduler's latency */
	struct ct_distribution runs;   /* from here to the next wait */
	struct ct_distribution delays_caused; /* until those ran that were woken here */
	struct ct_going_on waiting;           /* there; not in `waits` */
	struct ct_going_on ready;             /* having waited there: not in `delays` */
	struct ct_going_on running;           /* from there on: not in `runs` */
	/* of the longest run: its id, 0: none; on which thread, and when it ended */
	uint64_t longest_coro;
	uint32_t longest_thread;
	ct_time longest_until;
};

/* A place at which coroutines are started. */
struct ct_spawning {
	uint32_t site;
	uint32_t process;
	uint64_t nr_started;
	struct ct_going_on alive;     /* since they were started, or seen first */
	uint64_t nr_events;           /* of those that were started here */
	double per_second;            /* while it was observed */
	struct ct_distribution lives; /* of those that have ended */
};

struct ct_worker {
	uint32_t thread;
	ct_time from;
	ct_time until;
	int64_t running_ns;    /* of coroutines */
	int64_t scheduling_ns; /* outside of any */
	int64_t blocked_ns;    /* in a system call that is no waiting for work */
	int64_t idle_ns;
	uint64_t nr_resumes;
};

struct ct_coro_times {
	uint64_t id;
	uint32_t process;
	uint32_t function_site;
	uint32_t spawn_site;
	struct ct_times times;
	uint64_t nr_resumes;
	uint64_t nr_migrations; /* resumes on another thread than the one before */
	uint64_t nr_events;
};

/* How many coroutines of a process were ready at once, by time, since one was ready for the first time. */
struct ct_ready {
	int64_t observed_ns;
	double mean;
	uint64_t p50; /* for half of the time there were at most so many; at most 1/32 too high */
	uint64_t p99;
	uint64_t max;
};

/*
 * A queue of coroutines that are ready to run, which the program told of (enqueue). A coroutine that is ready and was
 * put into no queue is in none of these.
 */
struct ct_run_queue {
	uint64_t handle; /* a resource handle; 0: the program did not name it */
	uint32_t process;
	uint32_t thread; /* that alone takes coroutines out of it, as it says; 0: others may, too */
	const char *name;    /* "queue 2 worker-1": in words, with the name that the program gave */
	uint64_t nr_entered; /* how often one was put into it */
	struct ct_ready lengths; /* how many lay in it at once, since one did for the first time */
};

#define CT_BUSIEST 10u

struct ct_statistics {
	struct ct_times total;                 /* of all coroutines */
	struct ct_distribution delays;         /* of all coroutines: from ready to running */
	struct ct_ready ready;                 /* of all processes */
	const struct ct_run_queue *run_queues; /* the longest in the mean first */
	uint32_t nr_run_queues;
	uint64_t nr_resumes;
	uint64_t nr_migrations;
	const struct ct_worker *workers; /* the one that ran most first */
	uint32_t nr_workers;
	const struct ct_place *places; /* where most was waited in total first */
	uint32_t nr_places;
	const struct ct_spawning *spawnings; /* where most were started first */
	uint32_t nr_spawnings;
	/* at most CT_BUSIEST, the one that ran for the longest time first */
	const struct ct_coro_times *busiest;
	uint32_t nr_busiest;
	/* likewise, the one that was ready for the longest time first */
	const struct ct_coro_times *delayed;
	uint32_t nr_delayed;
	/* likewise, the one that waited for the longest time first */
	const struct ct_coro_times *waiters;
	uint32_t nr_waiters;
	/* likewise, the one that changed threads most often first */
	const struct ct_coro_times *movers;
	uint32_t nr_movers;
	uint64_t nr_refused; /* events at places beyond those that are counted */
	/* Changes of state told of the time before the observation: in no time and no distribution. */
	uint64_t nr_before;
};

enum ct_by {
	CT_BY_NONE = 0,
#define B(name, text, meaning) CT_BY_##name,
#define S(name, text, meaning)
#include "corotracer/def/breakdowns.def"
#undef B
#undef S
	CT_NR_BY,
};

enum ct_sort {
#define B(name, text, meaning)
#define S(name, text, meaning) CT_SORT_##name,
#include "corotracer/def/breakdowns.def"
#undef B
#undef S
	CT_NR_SORT,
};

#pragma pop_macro("X")
#pragma pop_macro("B")
#pragma pop_macro("S")

/* ct_by_name, ct_sort_name: as in options. ct_by_find, ct_sort_find: by name; the first one where there is none. */
const char *ct_by_name(enum ct_by by);
enum ct_by ct_by_find(const char *name);
const char *ct_sort_name(enum ct_sort sort);
enum ct_sort ct_sort_find(const char *name);

/* One row of a breakdown: the times of one coroutine, of those of one function, or of those started at one place. */
struct ct_share {
	uint64_t coro;    /* id, where each coroutine has a row; else 0 */
	uint32_t process; /* of the first of them */
	uint32_t site;    /* their function, or where they were started; 0: not known */
	uint64_t nr_coros;
	struct ct_times times;            /* they add up to the lives of these coroutines */
	const struct ct_wait_time *waits; /* times.waiting_ns, by what for; the longest first */
	uint32_t nr_waits;
	uint64_t nr_resumes;
	uint64_t nr_migrations;
	uint64_t nr_events;
	struct ct_distribution runs;
	struct ct_distribution delays;
	struct ct_distribution wait_times; /* of waits that have ended, up to the wake */
};

/* The times of all coroutines, told apart. The rows and the others add up to those of ct_statistics. */
struct ct_breakdown {
	enum ct_by by; /* COROUTINE, FUNCTION or SITE */
	enum ct_sort sort;
	const struct ct_share *rows; /* that have most of `sort` first */
	uint32_t nr_rows;
	uint64_t nr_others;     /* rows that were not asked for */
	struct ct_share others; /* all of them together */
};

/*
 * A coroutine in the await graph around the one that was asked about. The coroutine that must go on first comes first,
 * then, each behind the one that it waits for, those that wait; each coroutine stands there once.
 */
struct ct_await {
	uint64_t id;
	uint32_t process;
	enum ct_state state;
	uint32_t depth; /* how many before it must go on before it can, as far as they are told */
	uint64_t waits_for;   /* id of the coroutine that must go on first; 0: none that is known */
	const char *resource; /* what it waits for, in words; "": it does not */
	uint32_t site;        /* where it waits, else 0 */
	uint32_t thread;      /* on which it runs, or ran last */
	uint64_t nr_waiters;  /* coroutines that wait for it */
	uint64_t nr_left_out; /* of these, that stand for themselves nowhere in the graph */
};

/* A thread of a living process, as the kernel told of it. */
struct ct_look {
	uint64_t tid;
	uint32_t thread; /* the same in the tables; 0: it is not there */
	const char *name;
	char state;           /* the letter of proc(5): R runs, S sleeps */
	const char *waits_in; /* the kernel's function; "": in none, or not told */
	int32_t call;         /* number of its system call; -1: in none, -2: not told */
	const char *call_name;
	int32_t descriptor; /* that the call is about; -1: about none */
	const char *descriptor_kind;
	uint64_t descriptor_inode; /* 0: not known */
	const char *text;          /* all of this in one sentence */
};

/* How a living process was looked at, where one was. */
struct ct_live {
	uint64_t pid; /* 0: none was */
	int64_t watched_ns; /* for so long its events were recorded; 0: its flight recorder's file was read */
	const char *known;   /* what is known of the time before, or is not: one sentence */
	const char *trouble; /* what could not be seen, one sentence; "": all could */
	const struct ct_look *looks;
	uint32_t nr_looks;
};

/* One stretch of a task's critical path: what one coroutine did, or how it waited. */
struct ct_stretch {
	ct_time from;
	ct_time until;
	uint64_t coro; /* id; 0: outside of coroutines, or not told */
	uint32_t thread;
	enum ct_state state;
	uint32_t site;         /* where it waited, or went on from */
	uint64_t object;       /* what it waited for: a resource handle */
	uint64_t waker;        /* coroutine that made it go on; 0: none, or not told */
	uint32_t waker_thread; /* 0: nobody did */
	uint32_t waker_site;
	uint64_t holder; /* coroutine that had what it waited for; 0: not told */
	uint32_t holder_site;
	uint32_t depth; /* 0: of the task itself; else, of the one that ended the wait around it */
	bool is_followed; /* the deeper stretches behind it tell what came to pass meanwhile */
	bool has_yielded; /* ready or waiting: it gave up its thread of its own accord */
};

/* All stretches of one coroutine in one state, at one place and for one thing. */
struct ct_path_part {
	struct ct_stretch longest;
	const char *resource; /* that it waited for, in words; else "" */
	int64_t total_ns;
	uint64_t count;
};

/*
 * The parts of one task's duration. The stretches of depth 0 add up to it exactly, and so do all that are
 * not followed.
 */
struct ct_path {
	struct ct_task task;
	struct ct_times times; /* of depth 0 */
	int64_t untold_ns;     /* of depth 0: outside of coroutines, or not told */
	uint64_t nr_yields;    /* of depth 0 */
	int64_t yielded_ns;    /* of depth 0: from there until it ran again; in `times` as well */
	const struct ct_path_part *waits; /* of depth 0, the longest in total first */
	uint32_t nr_waits;
	const struct ct_path_part *parts; /* of all that are not followed, likewise */
	uint32_t nr_parts;
	const struct ct_stretch *stretches; /* by time; behind a followed one those inside it */
	uint32_t nr_stretches;
	uint64_t nr_dropped; /* changes of state that were too many to be kept; the oldest */
};

struct ct_report {
	const struct ct_tables *tables;
	struct ct_quality quality;
	const struct ct_standing *standings; /* at most one of a kind, in their order */
	uint32_t nr_standings;
	const struct ct_finding *findings; /* the gravest first */
	uint32_t nr_findings;
	const char *const *remarks; /* what a reader should know besides, a sentence each */
	uint32_t nr_remarks;
	const struct ct_waiting *waiting; /* where most wait first */
	uint32_t nr_waiting;
	/* what to add where waits cannot be judged; the most frequent first */
	const struct ct_advice *advice;
	uint32_t nr_advice;
	struct ct_integration integration;

	/*
	 * Where it was asked for: from the coroutine to the one that could make it go on. None: the coroutine
	 * is not in the trace.
	 */
	struct ct_coro why_coro;
	const struct ct_step *why;
	uint32_t nr_why;
	const struct ct_await *awaits; /* likewise, who waits for whom around it */
	uint32_t nr_awaits;
	struct ct_live live;
	const struct ct_span *spans; /* tasks first; then the longest in total first */
	uint32_t nr_spans;
	const struct ct_task *slowest; /* tasks, the slowest first; at most 10 */
	uint32_t nr_slowest;
	const struct ct_counter *counters;
	uint32_t nr_counters;
	/* not counted above: there were too many at once, or names */
	uint64_t nr_annotations_refused;
	struct ct_statistics statistics;
	const struct ct_path *path;           /* where it was asked for; else NULL */
	const struct ct_breakdown *breakdown; /* likewise */
	const struct ct_runtime *runtimes;    /* by process; of those whose trace tells of one */
	uint32_t nr_runtimes;
};

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
