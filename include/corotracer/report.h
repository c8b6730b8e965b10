/* SPDX-License-Identifier: MIT */
/*
 * The contents of a report: findings and their evidence, the quality of the data, the program's own annotations, and
 * where the time went. A part of ct.h, which makes reports (ct_analyze).
 *
 * All arrays and texts belong to the report, and are valid until ct_report_free. Times are nanoseconds since the
 * trace's epoch. Sites, threads and processes are indexes into the trace's tables; 0: none.
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

/* The states of a coroutine, in the order in which a coroutine goes through them. */
enum ct_state {
	CT_STATE_UNSEEN = 0, /* created, but not yet seen running */
	CT_STATE_READY,      /* woken, but not yet running */
	CT_STATE_RUNNING,
	CT_STATE_WAITING, /* suspended */
	CT_STATE_SYSCALL, /* in a system call, with its thread (P-101) */
	CT_STATE_DONE,    /* the coroutine ran to its end */
	CT_STATE_DESTROYED,
};

/* ct_state_name: returns the word for the state; never NULL. */
const char *ct_state_name(enum ct_state state);

/* One coroutine, as its events so far show it. Sites are indexes into ct_tables.sites; 0: not known. */
struct ct_coro {
	uint64_t id;
	uint32_t process;
	enum ct_state state;
	ct_time created; /* CT_NO_TIME: the coroutine was first seen in the middle of its life */
	ct_time changed; /* when the coroutine entered its present state */
	ct_time destroyed;
	uint64_t parent; /* id of the coroutine that created this one; 0: a thread did */
	uint32_t spawn_site;
	uint32_t function_site;
	uint32_t wait_site;   /* the place of its last suspend */
	uint64_t wait_object; /* a resource handle: what it waits for */
	uint64_t frame;       /* address; 0: not known */
	uint64_t frame_bytes; /* that it takes; 0: not known */
	uint32_t thread;      /* the thread on which it runs, or ran last */
	uint8_t mark;         /* enum ctp_mark, or 0 */
	bool was_seen_from_start;
	bool is_yielding; /* suspended at a yield: the coroutine waits only for its turn */
	uint64_t nr_resumes;
	uint64_t nr_wakes;
	uint64_t last_event;   /* sequence number of the coroutine's last event */
	ct_time waker_time;    /* time of the last wake for it; CT_NO_TIME: none */
	uint8_t waker_outcome; /* outcome of the last wake: an enum ctp_outcome */
};

/* --------------------------------------------------------------------- the judgement */

enum ct_grade {
	CT_GRADE_NONE = 0,
	CT_GRADE_SUSPECT = 1, /* the finding rests on age or shape alone */
	CT_GRADE_LIKELY = 2,  /* a threshold is exceeded, and an independent fact agrees */
	CT_GRADE_PROVEN = 3,  /* a contradiction within a window without gaps */
};

/* ct_grade_name: returns the word for the grade; never NULL. */
const char *ct_grade_name(enum ct_grade grade);

/* The tables use these macros: a caller's own are saved here and restored after the tables. */
#pragma push_macro("X")
#pragma push_macro("B")
#pragma push_macro("S")
#undef X
#undef B
#undef S

/* Facts that a program does not record, without which a wait cannot be judged (lacks.def). */
enum ct_lack {
	CT_LACK_NONE = 0,
#define X(name, text, meaning) CT_LACK_##name,
#include "corotracer/def/lacks.def"
#undef X
	CT_NR_LACKS,
};

/* ct_standing_name: returns the word for a kind of standing; never NULL. */
const char *ct_standing_name(enum ct_standing_kind kind);

/* ct_lack_name: returns the word for the fact; never NULL. */
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
 * ct_rule_name: returns the rule's name in reports and options, "lost-wakeup". ct_rule_says: returns what a finding of
 * the rule means.
 * ct_rule_wrong_if: returns how a finding could be wrong. ct_rule_next_step: returns what to do next. The texts come
 * from def/findings.def, and are never NULL.
 */
const char *ct_rule_name(enum ct_rule rule);
const char *ct_rule_says(enum ct_rule rule);
const char *ct_rule_wrong_if(enum ct_rule rule);
const char *ct_rule_next_step(enum ct_rule rule);

/* One link of the causal chain, oldest first. */
struct ct_step {
	ct_time time;     /* CT_NO_TIME: a statement about the whole finding */
	const char *text; /* one sentence without place and time: "closed descriptor 7" */
	uint32_t site;
	uint32_t thread;
	uint64_t coro;     /* the coroutine that did it; 0: the thread itself, or not known */
	uint64_t sequence; /* sequence number of the event; UINT64_MAX: none */
	const char *
		by; /* who did it, "coroutine 3 (serve)", if the text does not say so; "": not known */
	bool is_outside; /* the thread acted outside of coroutines, as far as known */
};

/* One coroutine that a finding is about. */
struct ct_member {
	struct ct_coro coro; /* the coroutine at the end of observation */
	ct_time since;       /* begin of the state that the finding is about */
	ct_time until;       /* its end: the destruction, or the end of what was seen */
	bool is_over;        /* that state was over at `until`, and the coroutine went on */
	/* the coroutine's last events, oldest first; only the first members have any */
	const struct ct_event *events;
	uint32_t nr_events;
	const char *resource; /* what it waits for, in words: "descriptor 7 (generation 3)" */
	/* For each event the program's own words for it: "GET /index.html", "request 4711"; else "" */
	const char *const *event_texts;
	const char *name; /* name that the program gave the coroutine; "": none */
	const char *task; /* task that it worked for at the end: "request 4711"; "": none */
	/* the event after which the wait could not end: the close of the descriptor; text "": not known */
	struct ct_step cause;
};

/* A statement about single events by which a Proven finding is proved, and whether the events agree. */
struct ct_claim {
	const char *text; /* "no resume of coroutine 3 from event 120 to the end" */
	bool holds;
	/* sequence number of the event that speaks against it; UINT64_MAX: none */
	uint64_t against;
};

/* One finding. Texts and arrays belong to the report. */
struct ct_finding {
	enum ct_rule rule;
	enum ct_grade grade;
	uint32_t process;
	const char *title; /* one sentence: how many, where, what */
	const struct ct_member *members;
	uint32_t nr_members;
	uint32_t nr_peers; /* number of coroutines of the same kind, stuck or not: "47 of 50" */
	const char *peers; /* what makes them one kind: "started at the same site" */
	const struct ct_step *steps;
	uint32_t nr_steps;
	const char *const *lowered; /* why the grade is lower than it could be, one sentence each */
	uint32_t nr_lowered;
	const char *const *evidence; /* further facts, one sentence each */
	uint32_t nr_evidence;
	uint32_t wait_site;  /* the place where all members wait; 0: not the same place, or none */
	uint32_t cause_site; /* the place to look at first; 0: not known */
	/* the rule's choice, else cause_site, or where most members wait, or where a step was; 0: no place is known */
	uint32_t look_site;
	const struct ct_waiting *waits_at; /* places where members wait, by number; at most 8 */
	uint32_t nr_waits_at;
	uint64_t nr_lost_nearby;   /* events lost on the threads that are concerned */
	uint64_t first_sequence;   /* first event of the evidence; UINT64_MAX: none */
	uint64_t last_sequence;    /* and last one: steps and members lie between the two */
	const char *next_step;     /* what to do now */
	struct ct_picture picture; /* a picture of what happened, for the gravest findings */
	/* Claims behind a finding that its rule called Proven, for its first member; a false one lowered the grade. */
	const struct ct_claim *claims;
	uint32_t nr_claims;
	struct ct_run_samples samples; /* where its thread was, if the finding is about a run */
};

/* The quality of the observation itself; printed before any finding. */
struct ct_quality {
	uint64_t nr_events;
	uint64_t nr_lost;
	uint64_t nr_left_out; /* missing because they were not wanted; not in nr_lost */
	uint64_t nr_coros;
	uint64_t nr_coros_mid_life; /* coroutines first seen in the middle of their life */
	uint64_t nr_unseen;         /* coroutines created, never seen running, and still alive */
	uint64_t nr_frames_reused;  /* addresses that served more than one coroutine */
	uint64_t nr_impossible;     /* in no statistic: their time cannot be true */
	uint64_t nr_unknown_kinds;
	uint64_t nr_broken_transitions;
	uint64_t nr_reordered; /* events put in order by what must hold */
	/* runs that were ended by the next run, because the record of their end came later */
	uint64_t nr_late_ends;
	int64_t reordered_ns;        /* largest such move: clocks of two cores differ that much */
	uint64_t nr_unmatched_wakes; /* wakes whose target is not known */
	/* workers that had a processor for less than half of the time in which they could run */
	uint64_t nr_starved_workers;
	uint64_t nr_by_state[CT_STATE_DESTROYED + 1];
	uint64_t nr_yielding;          /* of the waiting: suspended at a yield, so for nothing */
	uint64_t nr_destroyed_waiting; /* of the destroyed: suspended, with no wake under way */
	uint64_t nr_destroyed_woken;   /* of the destroyed: woken, not run since; others ended */
	ct_time observed_from;
	ct_time observed_until;
	bool has_lower_grades; /* the losses or gaps above lower findings */
	uint64_t nr_allowed;   /* findings at places about which the user wants no report */
	/* from tables and events; nr_lost and nr_left_out are the sums */
	const struct ct_loss *losses;
	uint32_t nr_losses;
	uint64_t nr_of_runtime; /* the runtime's own coroutines; no number above includes them */
};

/* A line of integration code that the program lacks: with it, waits at the site could be judged. */
struct ct_advice {
	enum ct_lack lack;
	uint32_t process;
	uint32_t site; /* the place where the coroutines wait; 0: not known */
	uint64_t nr_coros;
	const char *name; /* program's name for what they await there; "": none */
	const char *text; /* what to add, and where: one sentence */
};

struct ct_times {
	int64_t unseen_ns; /* before the first run; if suspended before it: before the first wake */
	int64_t ready_ns;
	int64_t running_ns;
	int64_t waiting_ns;
	int64_t syscall_ns; /* in system calls, with its thread, if the program records them */
};

/* How long a resource of one kind (enum ctp_resource) was waited for. */
struct ct_wait_time {
	unsigned resource;
	int64_t ns;
};

/*
 * The program's own account of what it does, from its annotations. Durations are of spans that have ended; percentiles
 * are at most 1/32 too high, everything else is exact.
 */
struct ct_span { /* all tasks, or all regions, of one name */
	const char *name;
	uint32_t process;
	uint32_t site; /* the site of the first one of the name */
	bool is_task;
	uint64_t nr_begun;
	uint64_t nr_ended;
	struct ct_going_on open;
	struct ct_distribution durations; /* of the tasks or regions that have ended */
	/*
	 * The times of the coroutines that worked for such a task, or had such a region open, up to the end of
	 * observation if it goes on. The sum exceeds the durations if several coroutines worked at the same time, and
	 * is less if a thread worked outside of coroutines.
	 */
	struct ct_times times;
	const struct ct_wait_time *waits; /* `times` waiting, by what for; the longest first */
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
	int64_t duration_ns; /* up to the end of observation if the task goes on */
	bool is_open;
	uint64_t event;        /* sequence number of the event at which the task began */
	struct ct_times times; /* times of the coroutines that worked for it, as in a span */
};

/*
 * Where the time went. All times are counted while the program was observed, in nanoseconds; percentiles are at most
 * 1/32 too high, everything else is exact. A coroutine's times before its first run, ready, running and waiting add up
 * to its life, and a worker's times to the time in which it was observed.
 */
/* A place at which coroutines wait, wake other coroutines, or, if they have not waited yet, are started. */
struct ct_place {
	uint32_t site; /* 0: not known */
	uint32_t process;
	struct ct_distribution waits;         /* waits here, up to the wake */
	struct ct_distribution delays;        /* from the wake to the run: the scheduler latency */
	struct ct_distribution runs;          /* runs from here to the next wait */
	struct ct_distribution delays_caused; /* delays of the coroutines that were woken here */
	struct ct_going_on waiting;           /* waits that go on; not in `waits` */
	struct ct_going_on ready;             /* delays that go on; not in `delays` */
	struct ct_going_on running;           /* runs that go on; not in `runs` */
	/* of the longest run: the coroutine's id (0: none), its thread, and when the run ended */
	uint64_t longest_coro;
	uint32_t longest_thread;
	ct_time longest_until;
};

/* A place at which coroutines are started. */
struct ct_spawning {
	uint32_t site;
	uint32_t process;
	uint64_t nr_started;
	struct ct_going_on alive;     /* since they were started, or first seen */
	uint64_t nr_events;           /* events of the coroutines that were started here */
	double per_second;            /* starts per second while the program was observed */
	struct ct_distribution lives; /* lives of the coroutines that have ended */
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

/* How many coroutines of a process were ready at the same time, weighted by time, since the first was ready. */
struct ct_ready {
	int64_t observed_ns;
	double mean;
	uint64_t p50; /* for half of the time at most this many were ready; at most 1/32 too high */
	uint64_t p99;
	uint64_t max;
};

/*
 * A queue of coroutines that are ready to run, as the program recorded it (enqueue). A coroutine that is ready but was
 * put into no queue counts in no queue.
 */
struct ct_run_queue {
	uint64_t handle; /* a resource handle; 0: the program did not name the queue */
	uint32_t process;
	uint32_t thread;     /* that alone takes coroutines out of it; 0: any thread may */
	const char *name;    /* "queue 2 worker-1": in words, with the name that the program gave */
	uint64_t nr_entered; /* how often a coroutine was put into the queue */
	struct ct_ready lengths; /* coroutines in it at one time, since the first entered */
};

#define CT_BUSIEST 10u

struct ct_statistics {
	struct ct_times total;                 /* of all coroutines */
	struct ct_distribution delays;         /* of all coroutines: from ready to running */
	struct ct_ready ready;                 /* of all processes */
	const struct ct_run_queue *run_queues; /* the longest on average first */
	uint32_t nr_run_queues;
	uint64_t nr_resumes;
	uint64_t nr_migrations;
	const struct ct_worker *workers; /* the worker that ran most first */
	uint32_t nr_workers;
	const struct ct_place *places; /* the place with the most waiting in total first */
	uint32_t nr_places;
	const struct ct_spawning *spawnings; /* the place where most were started first */
	uint32_t nr_spawnings;
	const struct ct_frame_sizes *frames; /* the function whose frames take most first */
	uint32_t nr_frames;
	uint64_t frames_peak_bytes; /* the most that all frames took at one time */
	ct_time frames_peak_time; /* when that was so first; CT_NO_TIME: no frame's size is known */
	const struct ct_frame_window
		*frame_windows; /* by time, then by site: those with any bytes */
	uint32_t nr_frame_windows;
	/* at most CT_BUSIEST each: that ran, were ready, waited longest, changed threads most often */
	const struct ct_coro_times *busiest;
	uint32_t nr_busiest;
	const struct ct_coro_times *delayed;
	uint32_t nr_delayed;
	const struct ct_coro_times *waiters;
	uint32_t nr_waiters;
	const struct ct_coro_times *movers;
	uint32_t nr_movers;
	uint64_t nr_refused; /* events at places beyond the number that is counted */
	/* Changes of state recorded for the time before the observation; no time or distribution includes them. */
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

/* ct_by_name, ct_sort_name: return the name in options. ct_by_find, ct_sort_find: by name, else the first. */
const char *ct_by_name(enum ct_by by);
enum ct_by ct_by_find(const char *name);
const char *ct_sort_name(enum ct_sort sort);
enum ct_sort ct_sort_find(const char *name);

/* One row of a breakdown: the times of a coroutine, or of all coroutines of one function or one spawn site. */
struct ct_share {
	uint64_t coro;    /* id, if each coroutine has a row of its own; else 0 */
	uint32_t process; /* process of the first of these coroutines */
	uint32_t site;    /* their function, or the place where they were started; 0: not known */
	uint64_t nr_coros;
	struct ct_times times;            /* they add up to the lives of these coroutines */
	const struct ct_wait_time *waits; /* waiting_ns, by what for; the longest first */
	uint32_t nr_waits;
	uint64_t nr_resumes;
	uint64_t nr_migrations;
	uint64_t nr_events;
	struct ct_distribution runs;
	struct ct_distribution delays;
	struct ct_distribution wait_times; /* waits that have ended, up to the wake */
};

/* The times of all coroutines, divided into rows. The rows and `others` add up to the times of ct_statistics. */
struct ct_breakdown {
	enum ct_by by; /* COROUTINE, FUNCTION or SITE */
	enum ct_sort sort;
	const struct ct_share *rows; /* the rows with the most of `sort` first */
	uint32_t nr_rows;
	uint64_t nr_others;     /* number of rows beyond those that were asked for */
	struct ct_share others; /* all those rows together */
};

/*
 * A coroutine in the await graph around the coroutine that was asked about. The coroutine that must go on first comes
 * first; then come the coroutines that wait, each after the one that it waits for. Each coroutine is listed once.
 */
struct ct_await {
	uint64_t id;
	uint32_t process;
	enum ct_state state;
	uint32_t depth;       /* number of coroutines known to have to go on before this one can */
	uint64_t waits_for;   /* id of the coroutine that must go on first; 0: none is known */
	const char *resource; /* what it waits for, in words; "": it does not wait */
	uint32_t site;        /* where it waits, else 0 */
	uint32_t thread;      /* the thread on which it runs, or ran last */
	uint64_t nr_waiters;  /* coroutines that wait for this one */
	uint64_t nr_left_out; /* of these, coroutines that are not in the graph themselves */
};

/* A thread of a living process, as the kernel described it. */
struct ct_look {
	uint64_t tid;
	uint32_t thread; /* the thread's index in the tables; 0: not there */
	const char *name;
	char state;           /* the state letter of proc(5): R runs, S sleeps */
	const char *waits_in; /* the kernel's function; "": not in one, or not stated */
	int32_t call;         /* number of its system call; -1: in none, -2: not stated */
	const char *call_name;
	int32_t descriptor; /* the descriptor that the call is about; -1: none */
	const char *descriptor_kind;
	uint64_t descriptor_inode; /* 0: not known */
	const char *text;          /* all of this in one sentence */
};

/* How a living process was examined, if one was. */
struct ct_live {
	uint64_t pid; /* 0: none was examined */
	int64_t watched_ns; /* duration of its recording; 0: its flight file was read, or another engine's */
	const char *known;   /* what is known of the time before, or not known: one sentence */
	const char *trouble; /* what could not be seen, one sentence; "": all could */
	const struct ct_look *looks;
	uint32_t nr_looks;
};

/* One stretch of a task's critical path: what one coroutine did, or how it waited. */
struct ct_stretch {
	ct_time from;
	ct_time until;
	uint64_t coro; /* id; 0: outside of coroutines, or not recorded */
	uint32_t thread;
	enum ct_state state;
	uint32_t site;         /* the place where it waited, or from which it went on */
	uint64_t object;       /* what it waited for: a resource handle */
	uint64_t waker;        /* coroutine that made it go on; 0: none, or not recorded */
	uint32_t waker_thread; /* 0: no thread did */
	uint32_t waker_site;
	uint64_t holder; /* coroutine that held what it waited for; 0: not recorded */
	uint32_t holder_site;
	uint32_t depth;   /* 0: the task's own; else of what ended the wait above */
	bool is_followed; /* the deeper stretches after this one show what happened meanwhile */
	bool has_yielded; /* ready or waiting: it gave up its thread by a yield */
};

/* All stretches of one coroutine in one state, at one place, for one resource. */
struct ct_path_part {
	struct ct_stretch longest;
	const char *resource; /* what it waited for, in words; else "" */
	int64_t total_ns;
	uint64_t count;
};

/*
 * The parts of one task's duration. The stretches of depth 0 add up to the duration exactly, and so do all stretches
 * that are not followed.
 */
struct ct_path {
	struct ct_task task;
	struct ct_times times; /* times of depth 0 */
	int64_t untold_ns;     /* time of depth 0 outside of coroutines, or not recorded */
	uint64_t nr_yields;    /* yields of depth 0 */
	int64_t yielded_ns;    /* of depth 0: from yields to the next run; part of `times` */
	const struct ct_path_part *waits; /* waits of depth 0, the longest in total first */
	uint32_t nr_waits;
	/* all stretches that are not followed, the longest in total first */
	const struct ct_path_part *parts;
	uint32_t nr_parts;
	const struct ct_stretch *stretches; /* by time; those inside a followed one come after it */
	uint32_t nr_stretches;
	uint64_t nr_dropped; /* changes of state beyond the number that is kept; the oldest */
};

struct ct_report {
	const struct ct_tables *tables;
	struct ct_quality quality;
	const struct ct_standing *standings; /* at most one of a kind, in the kinds' order */
	uint32_t nr_standings;
	const struct ct_finding *findings; /* the gravest first */
	uint32_t nr_findings;
	const char *const *remarks; /* what else a reader should know, one sentence each */
	uint32_t nr_remarks;
	const struct ct_waiting *waiting; /* the place where most wait first */
	uint32_t nr_waiting;
	/* what to add to the program so that waits can be judged; the most frequent first */
	const struct ct_advice *advice;
	uint32_t nr_advice;
	struct ct_integration integration;

	/* if asked for: the chain from the coroutine to what could make it go on; empty: it is not in the trace */
	struct ct_coro why_coro;
	const struct ct_step *why;
	uint32_t nr_why;
	const struct ct_await *awaits; /* if asked for: the await graph around the coroutine */
	uint32_t nr_awaits;
	const struct ct_long_run
		*long_runs; /* if asked for: of the coroutine, and of those on its chain */
	uint32_t nr_long_runs;
	struct ct_live live;
	const struct ct_span *spans; /* tasks first; then the longest in total first */
	uint32_t nr_spans;
	const struct ct_task *slowest; /* the slowest tasks first; at most 10 */
	uint32_t nr_slowest;
	const struct ct_counter *counters;
	uint32_t nr_counters;
	/* annotations not counted above: too many were open at the same time, or there were too many names */
	uint64_t nr_annotations_refused;
	struct ct_statistics statistics;
	const struct ct_path *path;           /* if asked for; else NULL */
	const struct ct_breakdown *breakdown; /* if asked for; else NULL */
	const struct ct_runtime *runtimes;    /* one per process that describes a runtime */
	uint32_t nr_runtimes;
};

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
