/* SPDX-License-Identifier: MIT */
/*
 * A simulated program: coroutines on a few worker threads, one thread that polls, one that starts coroutines, and
 * others that are not workers. All random numbers come from one seed, so a seed determines a program, its schedule, and
 * its trace.
 *
 * Time is one clock that never goes back. Each thread has a moment at which it acts next; the thread with the earliest
 * moment takes one indivisible step. A step reports what it does, as a probe would: tell_event is the only way from
 * here to a trace. No trace is ever read back. The truth at the end is in these structures: the owner of each lock, the
 * content of each queue, and which coroutines could still be woken (truth.h).
 *
 * Coroutines follow scripts, which groups (groups.h) make. A script's step is what a program does at one place: take a
 * lock, receive, wait for a child. Faults are steps with a mistake, not events: a receiver that looks before it
 * registers, a sender that does not wake. Whether a mistake does harm depends on the schedule.
 */
#ifndef ORACLE_WORLD_H
#define ORACLE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/event.h"
#include "base/vec.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)
#define NEVER INT64_MAX
/* how long the program goes on, to find out which coroutines run */
#define AFTERWARDS (200 * SECOND)
#define MOST_SITES 512u

enum act {
	ACT_COMPUTE, /* for value ns */
	ACT_CALL,    /* a system call that blocks the thread, for value ns, or NEVER */
	ACT_YIELD,
	ACT_LOOK,  /* make itself ready, and suspend: polling by hand */
	ACT_SLEEP, /* for value ns */
	ACT_LOCK,  /* take lock what, within value ns; 0: without limit */
	ACT_TRY_LOCK,
	ACT_UNLOCK,
	ACT_GIVE_BACK, /* lock what, instead of its owner */
	ACT_SEND,      /* send one item into channel what */
	ACT_SEND_MANY, /* send value items, and wake all waiters */
	ACT_RECEIVE,   /* receive one item from it, within value ns; 0: without limit */
	ACT_OPEN,      /* open file what, and have it polled */
	ACT_READ,      /* read from it */
	ACT_CLOSE,
	ACT_DUPLICATE, /* make another descriptor for file what */
	ACT_SPAWN,     /* start coroutine what */
	ACT_JOIN,      /* wait for its end, within value ns; 0: without limit */
	ACT_RUN,       /* run it within this coroutine, until it suspends */
	ACT_GIVE_WAY,  /* give way to the coroutine that runs this one: a generator's yield */
	ACT_DESTROY,
	ACT_CANCEL,       /* destroy coroutine what, if it waits for a lock */
	ACT_CUT,          /* destroy coroutine what, if it is ready */
	ACT_COUNT,        /* a counter of the program changes by value */
	ACT_MARK,         /* mark itself: value is an enum ctp_mark */
	ACT_AIM,          /* go on at the very moment when coroutine what is suspending */
	ACT_STAND_BY,     /* go back by one step until coroutine what waits */
	ACT_WAKE,         /* wake coroutine what, whatever it does */
	ACT_SUSPEND_ANEW, /* write a suspend for coroutine what, which already waits */
	ACT_CRASH,        /* a fatal signal */
	ACT_AGAIN,        /* go back by what steps, value times */
};

/* The mistake in a step. */
enum mistake {
	MISTAKE_NONE,
	MISTAKE_FORGETS,     /* the waiter is not woken; an opened file is not polled */
	MISTAKE_LOOKS_FIRST, /* it decides to wait, and then others have a turn before it waits */
	MISTAKE_GIVES_UP,    /* a wake for a coroutine that is suspending has no effect */
	MISTAKE_TWICE,       /* the waiter is put into the queue twice */
	MISTAKE_STAYS,       /* the destroyed coroutine stays in the list in which it waits */
	MISTAKE_NO_WORKER,   /* a coroutine is queued, but no worker is notified */
	MISTAKE_MISSES,      /* the waiter is not found, and that is recorded */
	MISTAKE_BARGES,      /* it takes the lock although another coroutine owns it */
	MISTAKE_LATE,        /* not a mistake, but recorded late: the lock has long been free */
	/* not a mistake: the woken coroutine is where only this worker may take it */
	MISTAKE_OWN_SLOT,
};

struct step {
	enum act act;
	enum mistake mistake;
	uint32_t what;
	int64_t value;
};

enum life {
	LIFE_UNBORN, /* it has a script, but was not created */
	LIFE_NEW,
	LIFE_READY,
	LIFE_RUNNING,
	LIFE_LEAVING, /* it has recorded its suspend, but its thread has not left it yet */
	LIFE_WAITING,
	LIFE_ENDED,
	LIFE_GONE, /* destroyed */
};

enum wait {
	WAIT_NOTHING,
	WAIT_LOCK,
	WAIT_CHANNEL,
	WAIT_FILE,
	WAIT_CHILD,
	WAIT_TIMER,
	WAIT_CALLER, /* a generator: for the coroutine that runs it next */
};

enum token {
	TOKEN_NONE,
	TOKEN_WAKE, /* a wake came too early */
	TOKEN_OWN,  /* it made itself ready before it suspended */
};

/* What has ever happened to a coroutine. */
enum fact {
	FACT_RESUMED_TWICE = 1 << 0,
	FACT_RESUMED_AFTER_END = 1 << 1,
	FACT_RESUMED_WHEN_GONE = 1 << 2,
	FACT_WOKEN_WHEN_GONE = 1 << 3,
	FACT_DESTROYED_WAITING = 1 << 4,
	FACT_TOOK_ALONG =
		1 << 5, /* destroyed with a lock, or with a wake or lock that no one else gets */
	FACT_IMPOSSIBLE_STEP = 1 << 6,
	FACT_KEPT_OTHERS = 1 << 7,
	FACT_STORMED = 1 << 8,
	FACT_CRASHED = 1 << 9,
	FACT_RAN_LATE = 1 << 10,
	FACT_WOKEN_AGAIN = 1 << 11, /* put into a queue again before it ran */
	FACT_IN_HERDS = 1 << 12,    /* woken with many others for one item, again and again */
	FACT_GREW = 1 << 13,        /* added more than it took away, sixty times */
	FACT_CLOSES_UNREAD =
		1 << 18,          /* closed ten connections, over half of them with unread data */
	FACT_CUT_READY = 1 << 17, /* destroyed after it was woken, before it ran */
	FACT_BARGED = 1 << 16,    /* took a lock that another coroutine owned */
	/* taken from the queue while it waited, because it was there twice */
	FACT_RUN_TOO_OFTEN = 1 << 15,
	FACT_RAN_AFTERWARDS = 1 << 14, /* ran when the program went on after the observation */
};

struct coro {
	uint64_t id; /* 0: not created */
	uint64_t address;
	uint32_t group;
	uint32_t parent; /* the coroutine that created it; 0: a thread did */
	ct_time created;
	enum life life;
	/* when the starting thread creates it; NEVER: a coroutine creates it, if at all */
	ct_time start;
	VEC(struct step) steps;
	uint32_t at; /* the next step */
	uint32_t nr_rounds;
	uint8_t phase;   /* within the step */
	uint32_t thread; /* the thread that runs it */
	uint32_t caller; /* the coroutine that runs it within itself */
	enum wait wait;
	uint32_t what;  /* the thing that it waits for */
	uint64_t order; /* since when it has been in the list of waiters for that thing */
	bool is_listed;
	enum token token; /* found when its thread has left it */
	bool was_dropped; /* a wake had no effect, and none has come since */
	bool was_missed;  /* a wake did not find it, and none has come since */
	bool was_granted; /* it was given what it waits for, and has not run since */
	bool is_daemon;
	bool lives_on;     /* by design, after its parent has ended */
	bool is_generator; /* other coroutines run it, not a worker */
	bool stays;        /* after its end, until it is destroyed */
	ct_time until;     /* it sleeps until then */
	bool has_timed_out;
	ct_time deadline; /* of its wait; NEVER: none */
	ct_time ready_from;
	ct_time run_from;
	int64_t taken_from_run; /* time within this run in which others had the processor */
	uint32_t nr_closes;     /* connections reported readable that it closed */
	uint32_t nr_unread;     /* of these: with unread data */
	uint32_t nr_herds;      /* herds in which it was woken */
	int64_t counter;
	uint32_t nr_counts;
	uint32_t nr_looks; /* how often it made itself ready, with nothing in between */
	ct_time looks_from;
	uint32_t late_site; /* where it ran late, or was woken again */
	uint32_t again_site;
	unsigned facts;  /* enum fact */
	uint64_t truths; /* 1 << rule: true at the end of the observation (truth.h) */
	bool was_resumed_when_gone;
	bool is_stuck_for_ever;
};

enum role {
	ROLE_WORKER,
	ROLE_POLLER,
	ROLE_STARTER,
	ROLE_STRANGER, /* not a worker: it follows a script of its own */
};

struct thread {
	enum role role;
	bool is_untold;          /* no probe writes on this thread */
	ct_time at;              /* its next moment */
	bool is_asleep;          /* parked, or in its poll */
	ct_time called_until;    /* the end of its blocking system call; 0: it is in none */
	ct_time sleeps_until;    /* the poll's timeout */
	uint32_t top;            /* the coroutine that it runs */
	uint32_t leaving;        /* the coroutine that it still has to leave */
	uint32_t shadow;         /* the coroutine that it runs although another thread does */
	uint32_t script;         /* a stranger's script: a coroutine that is never created */
	int64_t ran_ns;          /* by the kernel's account, at the end of its present work */
	int64_t kept_waiting_ns; /* for a processor, at the end of its present work */
	ct_time busy_from;       /* when its present work began */
	ct_time busy_until;
	/* how long it runs within that work; the rest of the time it waits for a processor */
	int64_t busy_ns;
	bool wrote; /* since its account was last read */
};

struct lock {
	uint32_t owner;
};

struct channel {
	int64_t nr_items;
};

struct file {
	uint32_t number;
	uint32_t generation;
	uint32_t copy_of; /* the first descriptor of the same file + 1; 0: this is the first */
	uint32_t nr_open; /* of the first descriptor: number of descriptors */
	bool is_open;
	bool was_told;    /* its readiness was reported */
	bool is_ready;    /* it is ready, but the poller does not know */
	int64_t nr_bytes; /* of the first descriptor: bytes to be read */
	ct_time arrival;  /* when the next bytes come */
	uint32_t nr_arrivals;
	int64_t every;
};

struct queued {
	uint32_t coro;
	uint32_t worker; /* the only worker that may take it; 0: any */
};

/* A lock that was taken, without a time limit, while another one was held. */
struct nesting {
	uint32_t coro;
	uint32_t outer;
	uint32_t inner;
	uint64_t held; /* 1 << lock: all locks that were held */
	ct_time time;
};

struct group {
	const char *name;
	unsigned rule;  /* the enum ct_rule that the group is meant to make true; 0: none */
	uint32_t first; /* its coroutines */
	uint32_t count;
};

/* How the program and its probe behave. */
struct manner {
	bool tells_queues;
	bool tells_awaits;
	bool tells_notifies;
	bool tells_takings;
	bool tells_deadlines; /* also of sleepers */
	bool names_frames;    /* wakes name frames, not ids */
	bool hands_over;      /* locks are handed over to the next waiter instead of released */
	bool cancels;         /* a token cancels the suspend, and no queue is used */
	bool returns;         /* a coroutine's end is recorded before its destruction */
	bool has_accounts;
	bool is_looked_at;  /* the engine looks at threads at the end */
	bool is_crowded;    /* other programs want the processors */
	bool exits;         /* when everything is done */
	bool hides_threads; /* there are more threads than the engine looks at */
	bool has_handler;   /* of a signal that can resume work */
	bool is_skewed;
	bool is_hasty;  /* stamps are taken before the actions that they must follow have ended */
	bool is_fenced; /* except those of wakes, locks and creations */
	bool loses;
	bool is_attached_late;
};

struct world {
	uint64_t seed;
	uint64_t chance;
	struct manner manner;
	ct_time now;
	ct_time end;   /* of the observation */
	ct_time ended; /* when the process ended, by itself or by the signal; NEVER: it runs on */
	int signal;
	bool is_over; /* the observation has ended: nothing more is recorded */
	uint32_t nr_workers;
	uint32_t starter;
	uint32_t poller;
	uint64_t next_id;
	uint64_t next_address;
	uint64_t next_order;
	ct_time next_look;
	ct_time next_account;
	VEC(struct coro) coros;     /* from 1 */
	VEC(struct thread) threads; /* from 1 */
	VEC(struct lock) locks;
	VEC(struct channel) channels;
	VEC(struct file) files;
	VEC(struct queued) queue;
	VEC(struct group) groups;
	VEC(struct nesting) nestings;
	VEC(uint32_t)
	afterwards; /* channels into which an unseen sender sends when the observation is over */
	VEC(uint64_t) free_addresses; /* of those that no coroutine names any more */
	VEC(struct ct_event) events;
	uint32_t nr_runs[MOST_SITES];        /* by site: runs after a wait there */
	uint32_t nr_late[MOST_SITES];        /* of those runs: how many were late */
	uint32_t nr_woken[MOST_SITES];       /* by site: waits there that a wake ended */
	uint32_t nr_woken_again[MOST_SITES]; /* of those waits: how many were ended by two wakes */
};

/* ---------------------------------------------------------------- chance (world.c) */

uint32_t below(struct world *world, uint32_t limit);
/* Is it true, once in `times` cases? */
bool once_in(struct world *world, uint32_t times);
int64_t between(struct world *world, int64_t least, int64_t most);

/* ---------------------------------------------------------------- making a program (world.c) */

void world_init(struct world *world, uint64_t seed);
void world_fini(struct world *world);
uint32_t add_coro(struct world *world, ct_time start);
uint32_t add_lock(struct world *world);
uint32_t add_channel(struct world *world);
uint32_t add_file(struct world *world, int64_t every, uint32_t nr_arrivals);
uint32_t add_stranger(struct world *world, bool is_untold);
struct step *add_step(
	struct world *world, uint32_t coro, enum act act, uint32_t what, int64_t value);

/* ---------------------------------------------------------------- running it */

/*
 * world_run: runs to the end of the observation. world_go_on: then runs on for as long as anything happens
 * (schedule.c).
 */
void world_run(struct world *world);
void world_go_on(struct world *world);

/* Performs one step of the thread's coroutine, or of a stranger's script (perform.c). */
void perform(struct world *world, uint32_t thread);
/* The thread leaves its coroutine: the second half of a suspend. */
void finish_suspend(struct world *world, uint32_t thread);
/* The coroutine begins to run on the thread, whatever the thread is doing. */
void start_run(struct world *world, uint32_t thread, uint32_t coro);
/* The actor: a thread, and the coroutine on it; 0: the thread itself. */
struct actor {
	uint32_t thread;
	uint32_t coro;
};
void create(struct world *world, struct actor actor, uint32_t coro);
void wake(struct world *world, struct actor actor, uint32_t target, enum mistake mistake);
void put_into_queue(struct world *world, uint32_t thread, uint32_t coro, enum mistake mistake);
uint32_t first_in_list(const struct world *world, enum wait wait, uint32_t what);
struct file *whole_file(struct world *world, uint32_t file);

/* ---------------------------------------------------------------- recording (say.c) */

enum place {
	PLACE_START,
	PLACE_SPAWN,
	PLACE_WAKE,
	PLACE_WORK,
	PLACE_COUNTER, /* the counter's name */
	PLACE_WAIT,    /* the wait, and its object: enum wait */
	NR_PLACES = PLACE_WAIT + WAIT_CALLER + 1,
};
uint32_t site_of(const struct world *world, uint32_t coro, enum place place);
/* Where it waits, or waited last. */
uint32_t wait_site_of(const struct world *world, uint32_t coro);

void tell_event(struct world *world, uint32_t thread, struct ct_event event);
uint64_t handle_of_wait(const struct world *world, const struct coro *coro);
uint64_t handle_of_coro(const struct world *world, const struct coro *coro);
uint64_t handle_of_file(const struct file *file);
void say_look(struct world *world);
void say_accounts(struct world *world);

#endif
