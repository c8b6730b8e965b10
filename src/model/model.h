/* SPDX-License-Identifier: MIT */
/*
 * The model: events folded into coroutines, threads and descriptors, and what must be known to
 * judge them: who ran where, who was idle when, which descriptor a number stood for, what is
 * missing.
 *
 * The model states what the events say, and where they leave a doubt it says so. It draws no
 * conclusion about right or wrong; that is the analysers' part. It reads no source and no file: the
 * caller feeds it one event after the other, in the order of a source.
 *
 * Everything lies in flat arrays and is named by its 32-bit index there; index 0 of each is
 * reserved and means none. Threads and processes have the indexes of ct_tables. Analysers read the
 * arrays directly and change nothing. One thread uses a model at a time.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "histogram.h"
#include "map.h"
#include "model_tallies.h"
#include "model_history.h"
#include "model_times.h"
#include "vec.h"

/* What is known of a coroutine besides its state. */
enum model_coro_flag {
	MODEL_CORO_WAS_CREATED = 1 << 0, /* its creation is in the trace */
	MODEL_CORO_ON_STACK = 1 << 1,    /* it is on its thread's stack of running coroutines */
	/* Resumed while another thread still ran it: it may be the clocks, the suspend decides. */
	MODEL_CORO_EARLY_RESUME = 1 << 2,
	MODEL_CORO_HAS_DOUBTFUL_WAKE = 1 << 3, /* a wake may have been for it, or not */
	MODEL_CORO_IS_FRAME_REUSED = 1 << 4,   /* its frame lies where another one's lay */
	MODEL_CORO_WAS_DESTROYED_WAITING = 1 << 5,
	/* At its destruction every worker had been idle since its descriptor was closed. */
	MODEL_CORO_WAS_DESTROYED_QUIET = 1 << 6,
	MODEL_CORO_IS_INITIAL = 1 << 7,     /* it was seen to be suspended at its beginning */
	MODEL_CORO_IS_HIDDEN = 1 << 10,     /* created, and where it is now is not known */
	MODEL_CORO_WAITS_FOR_MORE = 1 << 9, /* its last wait is for further objects, too */
	MODEL_CORO_WAS_REPLACED = 1 << 8,   /* no end was seen, but its memory serves another one */
	/* Woken, and destroyed before it ran. */
	MODEL_CORO_WAS_DESTROYED_READY = 1 << 12,
	MODEL_CORO_LEFT_BY_SWITCH = 1 << 11,  /* what it waits for comes as a detail */
	MODEL_CORO_WAS_WOKEN_AGAIN = 1 << 14, /* since it waits, and not run since */
	MODEL_CORO_WAS_AWAITED = 1 << 15,     /* somebody waited for its end at some time */
	/* By coarse clocks, steps of it on several threads may have come in another order. */
	MODEL_CORO_HAS_DOUBTFUL_ORDER = 1 << 13,
};

struct model_coro {
	uint64_t id;
	ct_time changed;      /* when it entered its present state */
	uint64_t wait_object; /* what it waited for last: a resource handle */
	uint64_t last_event;  /* sequence number */
	uint32_t process;
	uint32_t thread; /* the one it runs on, or ran on last; before that, its creator's */
	uint32_t above;  /* neighbours on that thread's stack of running coroutines */
	uint32_t below;
	uint32_t wait_site;
	uint32_t descriptor; /* the generation that it waited for last; 0: no descriptor */
	uint16_t flags;      /* enum model_coro_flag */
	uint8_t state;       /* enum ct_state */
	uint8_t point;       /* enum ctp_point of the last suspend */
	uint8_t wake_outcome;
	uint8_t mark;
	uint32_t nr_resumes;
	uint32_t nr_wakes;
	ct_time resumed;        /* its last resume; CT_NO_TIME: none was seen */
	int64_t blocked_before; /* what its thread had spent in system calls until then, in ns */
	ct_time suspended;      /* its last suspend; CT_NO_TIME: none was seen */
	uint64_t wait_event;    /* that suspend's sequence number */
	ct_time wake_time;      /* the last wake for it; CT_NO_TIME: none */
	uint64_t wake_event;
	ct_time deadline; /* when its last wait ends by itself; CT_NO_TIME: it does not */
	ct_time created;
	ct_time destroyed;
	uint64_t frame;   /* address; 0: not known */
	uint64_t address; /* of its tracing state; 0: not known */
	uint32_t parent;  /* index; 0: a thread created it, or not known */
	uint32_t spawn_site;
	uint32_t function_site;
	uint32_t wake_thread;
	uint32_t destroy_thread;
	uint64_t destroy_event;          /* UINT64_MAX: it was not seen */
	uint32_t destroy_coro;           /* that ran there; 0: none */
	uint32_t wake_site;              /* of the last wake */
	uint32_t wake_coro;              /* the waker; 0: a thread */
	struct model_waking wake_before; /* the one before the last */
	uint32_t ghost_wake;   /* its last late wake: index of the ghost, plus 1; 0: none */
	uint32_t conflict;     /* its resume that the clocks may explain: an index; 0: none */
	uint32_t burst;        /* of wakes: its number; 0: none; MODEL_BURST_OVER */
	uint32_t streak;       /* of wakes of itself: an index; 0: there was none */
	uint32_t awaited;      /* exclusive or of the children that it awaits now */
	uint32_t nr_awaits;    /* children that it awaits now */
	uint32_t queue_thread; /* that put it into the queue in which it lies; 0: in none */
	bool is_queue_private; /* no other thread can take it from there */
	ct_time queued;
	uint64_t queue_event;
	/* The last moment before its destruction since which every worker had been idle once. */
	ct_time quiet_at_end;
	uint64_t task;      /* that it works for; counts while that is open; 0: none */
	uint32_t region;    /* the innermost one that it has open; 0: none */
	uint32_t work;      /* index of that task; 0: its beginning was not seen, or none */
	uint32_t work_next; /* neighbours among those that work for it */
	uint32_t work_before;
	ct_time worked;                    /* up to then its time was given to task and regions */
	uint32_t name_site;                /* that the program gave it; 0: none */
	uint32_t nr_migrations;            /* resumes on another thread than the one before */
	uint64_t nr_events;                /* that it wrote */
	int64_t spent[CT_STATE_DESTROYED]; /* ns in each state but the last, while observed */
};

struct model_thread {
	uint32_t process;
	uint32_t same_tid;    /* the thread that had this kernel id before; 0: none */
	uint32_t top;         /* the coroutine that runs on it; 0: none */
	ct_time last_event;   /* written by the thread itself; CT_NO_TIME: none */
	ct_time idle_from;    /* it has been idle since; CT_NO_TIME: it is not */
	ct_time idle_began;   /* its last park or poll; CT_NO_TIME: none */
	ct_time idle_good;    /* the last moment at which it was idle with nothing ready anywhere */
	ct_time timed_end;    /* the end of its last idleness that had a time-out */
	ct_time blocked_from; /* in a call that may block; CT_NO_TIME: in none */
	ct_time seen;         /* the engine's last look at it; CT_NO_TIME: none */
	ct_time stopped;      /* it has ended; CT_NO_TIME: not known */
	uint64_t seen_event;
	uint32_t seen_system_call;
	char seen_state; /* the letter of /proc, such as 'S' */
	uint8_t blocked_call;
	bool is_worker; /* it ran a coroutine at some time */
	bool is_listed; /* among the workers of its process */
	bool is_parked;
	bool is_polling;    /* in a call that waits for descriptors */
	bool is_idle_timed; /* its present idleness ends by itself */
	bool seen_untimed;  /* at that look it blocked without time-out */
	bool is_blocked_timed;
	uint32_t last_suspended; /* whom a detail speaks of: coroutine or descriptor; one at most */
	uint32_t last_doubled;
	uint32_t last_opened; /* descriptor; 0: none */
	uint32_t last_handed; /* the object of its last hand-over; 0: its receiver is known */
	uint64_t task;        /* that it works for outside of coroutines; 0: none */
	uint32_t region;
	uint32_t name_site;
	uint64_t nr_resumes; /* that it did */
	ct_time counted_from;
	ct_time counted; /* `spent` is right up to then; CT_NO_TIME: nothing was seen of it */
	int64_t spent[MODEL_NR_ACTIVITIES]; /* ns, while observed */
	VEC(struct model_account)
	accounts; /* by time; of parts of a recording, not from the beginning */
};

enum model_descriptor_flag {
	MODEL_DESCRIPTOR_IS_OPEN = 1 << 0,
	MODEL_DESCRIPTOR_IS_ARMED = 1 << 1,
	MODEL_DESCRIPTOR_WAS_ARMED = 1 << 2, /* readiness, at least once, was what told of it */
	MODEL_DESCRIPTOR_IS_LISTENER = 1 << 3,
	MODEL_DESCRIPTOR_IS_TIMER = 1 << 4,
	MODEL_DESCRIPTOR_REPEATS = 1 << 5,
	MODEL_DESCRIPTOR_SHARES_DATA = 1 << 6, /* its user data also names another descriptor */
	MODEL_DESCRIPTOR_IS_DOUBLED = 1 << 7,  /* there is or was another descriptor of its file */
	MODEL_DESCRIPTOR_CLOSE_UNSEEN =
		1 << 8, /* its number was given out again: it was closed before */
};

/* One generation of one descriptor number. */
struct model_descriptor {
	uint32_t process;
	uint32_t fd;
	uint32_t mate;       /* the other end of a pipe or socket pair; 0: none, or not known */
	uint32_t generation; /* as the trace tells; 0: it does not */
	uint32_t older;      /* generations of the same number */
	uint32_t newer;
	uint32_t file; /* the first descriptor of the same file; itself, where there is no other */
	uint32_t nr_copies;    /* in the first: descriptors of the file that are open */
	uint8_t type;          /* enum ctp_descriptor_type */
	uint16_t flags;        /* enum model_descriptor_flag */
	uint16_t shutdowns;    /* bit n: shutdown(n) was called */
	uint16_t armed_events; /* as poll has them */
	ct_time opened;        /* CT_NO_TIME: not seen */
	ct_time closed;        /* CT_NO_TIME: it is open */
	ct_time file_closed;   /* in the first: when the last descriptor of the file was closed */
	uint32_t last_copy;    /* in the first: which one that was */
	uint32_t open_site;
	uint32_t close_site;
	uint32_t close_thread;
	uint32_t close_coro; /* what ran on that thread; 0: no coroutine that is known */
	uint32_t nr_hidden;  /* coroutines that may have run there unseen */
	uint32_t nr_waits;   /* suspensions that waited for it */
	uint64_t close_event;
	uint64_t user_data;
	ct_time armed;
	ct_time reported; /* a poll reported it last; CT_NO_TIME: never */
	ct_time ready;    /* the same, where nobody has transferred anything since */
	ct_time expiry;   /* of a timer; CT_NO_TIME: it is not set */
	uint64_t ready_event;
	uint32_t ready_thread;
	uint32_t ready_flags; /* as poll has them */
};

/*
 * A wake of a frame that nothing was known to lie at; MODEL_UNMATCHED are kept, to be matched
 * later.
 */
struct model_unmatched {
	uint64_t frame;
	ct_time time;
};

#define MODEL_UNMATCHED 4096u

struct model_process {
	struct map pages; /* coroutine id / MODEL_PAGE_IDS -> index into model.pages */
	uint64_t cached_key;
	uint32_t cached_page; /* 0: none */
	uint32_t nr_ready;    /* coroutines in state READY */
	uint32_t series[MODEL_NR_SERIES_OF_PROCESS];
	uint32_t nr_hidden;    /* coroutines that may be running without having been seen to */
	ct_time ready_since;   /* when nr_ready last left zero */
	struct map frames;     /* frame address -> coroutine */
	struct map addresses;  /* address of the tracing state -> coroutine */
	VEC(uint64_t) offsets; /* seen between the two */
	VEC(struct model_unmatched) unmatched;
	struct map numbers;    /* descriptor number -> its newest generation */
	struct map user_data;  /* given to epoll -> descriptor */
	struct map objects;    /* resource handle -> model.objects */
	struct map tasks;      /* id of an open task -> model.tasks */
	struct map names;      /* resource handle -> site */
	VEC(uint32_t) workers; /* threads that ran coroutines, or whose events are missing */
	struct map tids;       /* kernel thread id -> the last thread that had it */
	uint32_t last_cut; /* the last of its coroutines that was destroyed while suspended; 0: none
			    */
	ct_time last_event; /* written by any of its threads; CT_NO_TIME: none */
	ct_time last_run;   /* the last resume of any of its coroutines; CT_NO_TIME: none */
	uint64_t nr_descriptor_waits;
	uint64_t nr_descriptor_events;
	uint64_t nr_opened;
	uint64_t nr_open;
	ct_time shutdown_from; /* the program said that it ends; CT_NO_TIME: it did not */
	ct_time warm_up_until; /* it said that it had begun to work; CT_NO_TIME: it did not */
	bool is_warming_up;
	bool has_completions; /* signs of completion-based input and output */
	bool has_polls;       /* waits by poll or select, which name no descriptor beforehand */
	bool tells_takings;   /* acquisitions of other things than locks are told */
	bool is_reachable;    /* by a signal handler, a child, an io_uring: past its descriptors */
	bool has_unseen_threads; /* the engine did not look at all of its threads */
	ct_time halted;         /* stopped by a signal or a debugger since; CT_NO_TIME: it is not */
	ct_time ready_counted;  /* up to then `ready` is right; CT_NO_TIME: nothing was ready yet */
	struct histogram ready; /* for how many ns how many coroutines were ready at once */
	struct histogram delays; /* ns from ready to running, of all its coroutines */
	struct histogram runs;   /* ns from there to the next wait, likewise */
};

/* A lock, channel, or anything else that coroutines hand to each other. */
struct model_object {
	uint64_t handle;
	uint32_t process;
	uint32_t owner;        /* coroutine that holds it; MODEL_OWNER_UNKNOWN; 0: none */
	uint32_t owner_site;   /* where it came to hold it */
	uint32_t owner_thread; /* on which it was told */
	uint32_t held;         /* of a lock: index of what is held; 0: it is not */
	uint32_t giver;        /* the coroutine that handed it over */
	bool is_handed;        /* by a hand-over, and the owner has not told of it since */
	ct_time owned;         /* since when */
	uint64_t owner_event;
	ct_time released;          /* CT_NO_TIME: never */
	struct model_waking vain;  /* the last notify that woke nobody */
	struct model_waking found; /* the last one that woke somebody */
	uint32_t cut; /* that had been woken for it, and was destroyed before it ran; 0: none */
	/* At least as many were given and not taken, if every taking is told. */
	uint64_t nr_left;
	bool has_takers;          /* one was taken at some time */
	uint32_t changed_by_coro; /* the last of any change */
	uint32_t changed_by_thread;
	uint32_t changed_at; /* site */
	uint8_t changed_how; /* enum ctp_kind; 0: never */
	ct_time changed;
	uint64_t change_event;
};

#define MODEL_PAGE_IDS 64u
struct model_page {
	uint32_t coro[MODEL_PAGE_IDS];
};

/*
 * Wakes of a coroutine by itself, with nothing done in between but waiting: the present streak, and the
 * longest one.
 */
struct model_streak {
	uint32_t coro;
	uint32_t wait_site; /* at which it waited in between, in the longest one */
	uint32_t site;      /* of its last wake */
	bool was_running;   /* at that wake */
	uint64_t count;
	ct_time first;
	ct_time last;
	uint64_t longest;
	ct_time longest_first;
	ct_time longest_last;
	uint64_t nr_self_wakes; /* in all streaks */
};

/* A step that does not lead on from the state that a coroutine was in. */
struct model_conflict {
	uint32_t coro;
	uint32_t thread;
	uint32_t site;
	uint32_t thread_before; /* on which the state was entered */
	uint8_t kind;           /* enum ctp_kind of the event */
	uint8_t state;          /* enum ct_state before it */
	bool is_explained;      /* the clocks explain it after all */
	bool was_idle;          /* its thread had gone idle since: a suspend was not told */
	ct_time time;
	ct_time before; /* when the state was entered */
	uint64_t sequence;
	uint64_t sequence_before;
	struct model_waking wakes[2]; /* the last ones until then, the older first */
};

/* Something done to a coroutine that was gone. */
struct model_ghost {
	uint32_t coro;
	uint32_t thread;
	uint32_t site;
	uint8_t kind;     /* enum ctp_kind of what was done */
	uint8_t argument; /* of the event: of a wake, its outcome */
	uint32_t by;      /* coroutine that did it; 0: none */
	uint32_t wake;    /* the last late wake of the same coroutine before it: an index */
	bool has_wake;
	ct_time time;
	uint64_t sequence;
};

struct model_crash {
	uint32_t process;
	uint32_t thread;
	uint32_t coro; /* that ran there; 0: none */
	uint32_t site; /* the instruction */
	uint32_t signal_number;
	bool is_sent;   /* by another process */
	bool is_raised; /* by the program itself: abort, raise, kill; no address applies */
	uint64_t address;
	ct_time time;
	uint64_t sequence;
};

/* Events that are missing. */
struct model_gap {
	uint32_t process;
	uint32_t thread; /* 0: not known */
	uint32_t reason; /* enum ctp_loss */
	uint64_t coro;   /* id; 0: not known, or of several */
	uint64_t count;
	ct_time first;
	ct_time last;
};

/* One edge of a gap, with the number of events that are missing in all gaps up to it. */
struct model_edge {
	uint32_t process;
	ct_time time;
	uint64_t total;
};

/* How many kinds of things there are to wait for. */
enum {
#define X(NAME, number, name, identity) MODEL_RESOURCE_##NAME,
#include "corotracer/def/resources.def"
#undef X
	MODEL_NR_RESOURCES,
};

/* All tasks or regions of one name, or a counter. */
struct model_span {
	const char *name; /* of the tables */
	uint32_t process;
	uint32_t site;     /* the first one of the name */
	uint8_t kind;      /* CTP_KIND_TASK_BEGIN, REGION_BEGIN or COUNTER */
	uint64_t nr_begun; /* of a counter: values */
	uint64_t nr_open;
	struct histogram *durations; /* of those that have ended; NULL for a counter */
	uint32_t series;             /* of a counter */
	int64_t last;                /* of a counter */
	int64_t least;
	int64_t greatest;
	ct_time last_time;
	int64_t open_ns; /* of those that go on at the end: until then */
	int64_t longest_ns;
	uint64_t longest_event; /* with which the longest one of these tasks began */
	/* Of the coroutines that worked for it, or had it open, also where it goes on: ns in each state. */
	int64_t spent[CT_STATE_DONE];
	int64_t waited[MODEL_NR_RESOURCES]; /* of that, waiting: by what for, enum ctp_resource */
};

/* A task that goes on. */
struct model_task {
	uint64_t id; /* 0: the place is free, and `span` is the next free one */
	uint32_t process;
	uint32_t span;
	ct_time begun;
	uint64_t event;               /* sequence number of its beginning */
	uint32_t workers;             /* the first of the coroutines that work for it; 0: none */
	int64_t spent[CT_STATE_DONE]; /* as of its span */
};

struct model_slow {
	struct model_task task;
	ct_time ended;
	int64_t duration;
};

/* A region that is open. */
struct model_region {
	uint32_t span;
	uint32_t below; /* of the same coroutine or thread, around it; 0: none */
	ct_time begun;
};

#define MODEL_SPANS 1024u
#define MODEL_OPEN 1048576u
#define MODEL_SLOWEST 10u
#define MODEL_PLACES 16384u /* that times are kept of, at most 80 KiB each */

struct model {
	const struct ct_tables *tables;
	VEC(struct model_coro) coros;
	VEC(struct model_page) pages;
	VEC(struct model_descriptor) descriptors;
	VEC(struct model_object) objects;
	VEC(struct model_ghost) ghosts;       /* at most MODEL_GHOSTS */
	VEC(struct model_streak) streaks;     /* [0] is none */
	VEC(struct model_conflict) conflicts; /* [0] is none; at most MODEL_GHOSTS */
	VEC(struct model_crash) crashes;
	VEC(struct model_gap) gaps;
	struct model_edge *gap_firsts; /* by process and time; there after model_finish */
	struct model_edge *gap_lasts;
	VEC(struct model_span) spans; /* [0] is none, as of the next two */
	VEC(struct model_task) tasks;
	VEC(struct model_region) regions;
	struct map span_at; /* by name */
	uint32_t free_task;
	uint32_t free_region;
	uint64_t nr_spans_refused; /* annotations beyond the bounds */
	struct model_slow slowest[MODEL_SLOWEST];
	uint32_t nr_slowest;
	struct model_herd_limits herd_limits;
	VEC(struct model_series) series; /* [0] is none */
	VEC(struct model_herd) herds;    /* [0] is none */
	uint32_t *herd_of_site;
	uint32_t nr_bursts;           /* numbers that were given */
	VEC(struct model_held) helds; /* [0] is none */
	VEC(uint32_t) held_of;        /* by coroutine: the last one taken */
	uint32_t free_held;
	VEC(struct model_nesting) nestings;     /* [0] is none; at most MODEL_NESTINGS */
	struct map nesting_at;                  /* by outer << 32 | inner: the first one */
	VEC(struct model_repeat) repeats;       /* at most MODEL_REPEATS */
	struct map repeat_at;                   /* by site */
	uint64_t nr_tallies_refused;            /* beyond the bounds of model_tallies.h */
	struct model_thread *threads;           /* nr_threads of the tables */
	struct model_process *processes;        /* nr_processes of the tables */
	uint32_t *places;                       /* by site: the first one that says the same */
	struct model_place_times **place_times; /* by site; NULL: nothing happened there */
	uint32_t nr_place_times;
	uint64_t nr_times_refused; /* what happened at places beyond MODEL_PLACES */
	uint32_t nr_threads;
	uint32_t nr_processes;
	ct_time lowest; /* times outside of these can not be true */
	ct_time highest;
	ct_time from;           /* observation */
	ct_time now;            /* its end */
	int64_t uncertainty_ns; /* how far the clocks of two threads may disagree */
	bool is_open_ended;     /* the tables do not say when observation ended */
	uint64_t nr_events;
	uint64_t sequence; /* of the event that is being applied */
	uint64_t nr_lost;
	uint64_t nr_left_out; /* missing, because they were not wanted */
	uint64_t nr_impossible;
	uint64_t nr_unknown_kinds;
	uint64_t nr_broken;
	uint64_t nr_reordered;
	int64_t reordered_ns; /* the furthest of them: so far at least the clocks of two cores lie apart */
	uint64_t nr_unmatched_wakes;
	uint64_t nr_frames_reused;
	struct model_history *history; /* its user's: to be filled; NULL: none is kept */
};

#define MODEL_GHOSTS 65536u
#define MODEL_OWNER_UNKNOWN UINT32_MAX

/*
 * model_new: an empty model of the trace with these tables, which outlive it.
 * model_free: gives everything back. NULL is allowed.
 */
enum ct_status model_new(
	const struct ct_tables *tables, struct model **ret_model, struct ct_error *reterr);
void model_free(struct model *model);

/*
 * model_apply: folds in one event. Whatever it says is taken up or counted; the only failure is CT_ERR_NO_MEMORY.
 * model_is_possible: false where its time, process or thread can not be true, so that it will only be counted.
 */
enum ct_status model_apply(
	struct model *model, const struct ct_event *event, struct ct_error *reterr);
bool model_is_possible(const struct model *model, const struct ct_event *event);

/* model_finish: after the last event: settles what was left open. Nothing is applied after it. */
enum ct_status model_finish(struct model *model, struct ct_error *reterr);

/*
 * model_place: the site that stands for this one and all that say the same. What the model keeps of sites are
 * such; events name them as they were recorded.
 */
uint32_t model_place(const struct model *model, uint32_t site);

/* model_life: ns from its beginning to its end, as far as both were observed: the sum of all states before its end. */
int64_t model_life(const struct model_coro *coro);

/*
 * model_account_between: what the kernel counted of the thread between two times, and a little more around them, at
 * most a tenth of a second on each side. False: that is not known.
 */
bool model_account_between(const struct model *model, uint32_t thread, ct_time from, ct_time until,
	struct model_account *ret_account);

/* model_find: a coroutine by its process and id; 0 where there is none. */
uint32_t model_find(struct model *model, uint32_t process, uint64_t id);

/* model_find_frame: the living coroutine whose frame lies there; 0 where there is none. */
uint32_t model_find_frame(struct model *model, uint32_t process, uint64_t frame);

/* model_find_remote: the coroutine of another process that a handle of kind REMOTE names (P-34); 0 likewise. */
uint32_t model_find_remote(struct model *model, uint64_t handle);

/* model_find_object: what a resource handle names, where anything was done to it; 0: nothing was.
 */
uint32_t model_find_object(const struct model *model, uint32_t process, uint64_t handle);

/* model_task_of: the task that a coroutine works for, which goes on; NULL: none. */
const struct model_task *model_task_of(const struct model *model, uint32_t coro);

/* model_is_task_open: does this very task go on at the end? */
bool model_is_task_open(const struct model *model, const struct model_task *task);

/* model_resource_name: what the program calls a resource; "": nothing. */
const char *model_resource_name(const struct model *model, uint32_t process, uint64_t handle);

/* model_export: a coroutine as the public library shows it. */
void model_export(const struct model *model, uint32_t coro, struct ct_coro *ret_coro);

/*
 * model_quiet_since: has every worker of the process gone idle after `time`, with nothing ready at
 * that moment? A worker that waits with a time-out counts once that has run out and it is idle
 * again. Workers that have ended count. Before model_finish, `now` is the present time.
 */
bool model_quiet_since(const struct model *model, uint32_t process, ct_time time, ct_time now);

/* model_thread_quiet_time: the last moment at which this thread was idle; INT64_MAX: it has ended.
 */
ct_time model_thread_quiet_time(const struct model *model, uint32_t thread, ct_time now);

/* model_quiet_time: the last moment of which model_quiet_since is true; INT64_MIN: there is none.
 */
ct_time model_quiet_time(const struct model *model, uint32_t process, ct_time now);

/*
 * model_lost_between: how many events of the process, on any thread, are missing between two times;
 * 0: none. A gap that touches the interval counts whole. Only after model_finish.
 */
uint64_t model_lost_between(
	const struct model *model, uint32_t process, ct_time from, ct_time until);

/* model_end_of: until when the process was observed: its end, its halt, or that of the trace. */
ct_time model_end_of(const struct model *model, uint32_t process);

/*
 * model_is_look_valid: is what the engine saw of this thread still so? What any thread has done since may have set
 * this one going.
 */
bool model_is_look_valid(const struct model *model, uint32_t thread);

/* model_waits_outside: is what this blocked thread waits for outside the program, or not known? */
bool model_waits_outside(const struct model *model, uint32_t thread);

/* model_is_pending_timer: will this descriptor's timer fire after `time`, as far as is known? */
bool model_is_pending_timer(const struct model_descriptor *descriptor, ct_time time);

/*
 * model_is_coarse: where clocks disagree by this much, many events of a coroutine lie in one instant: one that
 * is out of order can not be put right by the next one.
 */
#define MODEL_COARSE_NS 10000

static inline bool model_is_coarse(const struct model *model)
{
	return model->uncertainty_ns >= MODEL_COARSE_NS;
}

#endif
