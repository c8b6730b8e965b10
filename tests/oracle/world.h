/* SPDX-License-Identifier: MIT */
/*
 * A simulated program: coroutines on a few worker threads, one thread that polls, one that starts coroutines, and
 * others that are no workers. All chance comes from one seed, so a seed is a program, its schedule, and its trace.
 *
 * Time is one clock that only goes on. Each thread has a moment at which it acts next; the earliest one takes one
 * step, which cannot be divided. What a step does it says, as a probe would: tell_event is the only way from here
 * to a trace. Nothing is ever read back from there. What is true in the end stands in these structures:
 * who owns which lock, who lies in which queue, whom anybody could still wake (truth.h).
 *
 * Coroutines follow scripts, which groups (groups.h) make. A script's step is what a program does at one place: take
 * a lock, receive, wait for a child. Faults are steps with a mistake in them, not events: the receiver that looks
 * before it registers, the sender that does not wake. Whether harm comes of it is the schedule's matter.
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
#define AFTERWARDS (200 * SECOND) /* how long the program goes on, to see whom it runs */
#define MOST_SITES 512u

enum act {
	ACT_COMPUTE, /* for value ns */
	ACT_CALL,    /* a system call that blocks the thread, for value ns, or NEVER */
	ACT_YIELD,
	ACT_LOOK,  /* make oneself ready, and suspend: polling by hand */
	ACT_SLEEP, /* value ns */
	ACT_LOCK,  /* lock what, for value ns at most; 0: as long as it takes */
	ACT_TRY_LOCK,
	ACT_UNLOCK,
	ACT_GIVE_BACK, /* lock what, in the place of its owner */
	ACT_SEND,      /* one item into channel what */
	ACT_SEND_MANY, /* value items, and wake all who wait */
	ACT_RECEIVE,   /* one item out of it, within value ns; 0: as long as it takes */
	ACT_OPEN,      /* file what, and have it polled */
	ACT_READ,      /* from it */
	ACT_CLOSE,
	ACT_DUPLICATE, /* another descriptor for file what */
	ACT_SPAWN,     /* start coroutine what */
	ACT_JOIN,      /* wait for its end, within value ns; 0: as long as it takes */
	ACT_RUN,       /* run it within oneself, until it suspends */
	ACT_GIVE_WAY,  /* to whoever runs this one: a generator's yield */
	ACT_DESTROY,
	ACT_CANCEL,       /* destroy coroutine what, if it waits for a lock */
	ACT_CUT,          /* destroy coroutine what, if it is ready */
	ACT_COUNT,        /* a counter of the program goes up by value, or down */
	ACT_MARK,         /* say of oneself: value is an enum ctp_mark */
	ACT_AIM,          /* go on at the very moment when coroutine what is on its way to sleep */
	ACT_STAND_BY,     /* go back by one step until coroutine what waits */
	ACT_WAKE,         /* coroutine what, whatever it does */
	ACT_SUSPEND_ANEW, /* write a suspend for coroutine what, which waits */
	ACT_CRASH,        /* a fatal signal */
	ACT_AGAIN,        /* go back by what steps, value times */
};

/* What can be wrong with a step. */
enum mistake {
	MISTAKE_NONE,
	MISTAKE_FORGETS,     /* the one who waits is not woken; what is opened is not polled */
	MISTAKE_LOOKS_FIRST, /* it decides to wait, and then others have their turn before it waits */
	MISTAKE_GIVES_UP,    /* a wake for one on its way to sleep comes to nothing */
	MISTAKE_TWICE,       /* the one who waits is put into the queue twice */
	MISTAKE_STAYS,       /* the destroyed one stays in the list that it waits in */
	MISTAKE_NO_WORKER,   /* the queue is filled, and no worker is told */
	MISTAKE_MISSES,      /* the one who waits is not found, and that is told */
	MISTAKE_BARGES,      /* it takes the lock though another one has it */
	MISTAKE_LATE,        /* no mistake, but told late: the lock has long been free */
	MISTAKE_OWN_SLOT,    /* no mistake: the woken one lies where only this worker may take it */
};

struct step {
	enum act act;
	enum mistake mistake;
	uint32_t what;
	int64_t value;
};

enum life {
	LIFE_UNBORN, /* its script is there; nobody has created it */
	LIFE_NEW,
	LIFE_READY,
	LIFE_RUNNING,
	LIFE_LEAVING, /* it has said that it suspends, and its thread has not left it yet */
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
	WAIT_CALLER, /* a generator: for the one that runs it next */
};

enum token {
	TOKEN_NONE,
	TOKEN_WAKE, /* a wake came too early */
	TOKEN_OWN,  /* it made itself ready before it suspended */
};

/* What has happened to a coroutine for good. */
enum fact {
	FACT_RESUMED_TWICE = 1 << 0,
	FACT_RESUMED_AFTER_END = 1 << 1,
	FACT_RESUMED_WHEN_GONE = 1 << 2,
	FACT_WOKEN_WHEN_GONE = 1 << 3,
	FACT_DESTROYED_WAITING = 1 << 4,
	FACT_TOOK_ALONG =
		1 << 5, /* destroyed with a lock, or given one, or a wake, that nobody else gets */
	FACT_IMPOSSIBLE_STEP = 1 << 6,
	FACT_KEPT_OTHERS = 1 << 7,
	FACT_STORMED = 1 << 8,
	FACT_CRASHED = 1 << 9,
	FACT_RAN_LATE = 1 << 10,
	FACT_WOKEN_AGAIN = 1 << 11, /* put into a queue again before it ran */
	FACT_IN_HERDS = 1 << 12,    /* woken with many others for one item, again and again */
	FACT_GREW = 1 << 13,        /* it added, and took away less, sixty times */
	FACT_CLOSES_UNREAD =
		1 << 18, /* closed ten connections, over half of them with something in them */
	FACT_CUT_READY = 1 << 17,     /* destroyed when it had been woken, before it ran */
	FACT_BARGED = 1 << 16,        /* took a lock that another one had */
	FACT_RUN_TOO_OFTEN = 1 << 15, /* taken from the queue while it waited: it lay there twice */
	FACT_RAN_AFTERWARDS = 1 << 14, /* when the program went on after the observation */
};

struct coro {
	uint64_t id; /* 0: not created */
	uint64_t address;
	uint32_t group;
	uint32_t parent; /* that created it; 0: a thread did */
	ct_time created;
	enum life life;
	ct_time start; /* created by the starting thread; NEVER: by a coroutine, if at all */
	VEC(struct step) steps;
	uint32_t at; /* the step that comes next */
	uint32_t nr_rounds;
	uint8_t phase;   /* within the step */
	uint32_t thread; /* the one that runs it */
	uint32_t caller; /* that runs it within itself */
	enum wait wait;
	uint32_t what;  /* it waits for */
	uint64_t order; /* since when it has been in the list of those who wait for that */
	bool is_listed;
	enum token token; /* found when its thread has left it */
	bool was_dropped; /* a wake did, and gave up, and none has come since */
	bool was_missed;  /* a wake did not find it, and none has come since */
	bool was_granted; /* it was handed what it waits for, and has not run since */
	bool is_daemon;
	bool lives_on;     /* by design, when its parent has ended */
	bool is_generator; /* it is run by others, not by a worker */
	bool stays;        /* when it has ended, until somebody destroys it */
	ct_time until;     /* it sleeps */
	bool has_timed_out;
	ct_time deadline; /* of its wait; NEVER: none */
	ct_time ready_from;
	ct_time run_from;
	int64_t taken_from_run; /* time within this run in which others had the processor */
	uint32_t nr_closes;     /* of connections that were reported readable */
	uint32_t nr_unread;     /* of these: with something in them */
	uint32_t nr_herds;      /* it was woken in */
	int64_t counter;
	uint32_t nr_counts;
	uint32_t nr_looks; /* made itself ready, with nothing in between */
	ct_time looks_from;
	uint32_t late_site; /* where it ran late, or was woken again */
	uint32_t again_site;
	unsigned facts;  /* enum fact */
	uint64_t truths; /* 1 << rule: so it was at the end of the observation (truth.h) */
	bool was_resumed_when_gone;
	bool is_stuck_for_ever;
};

enum role {
	ROLE_WORKER,
	ROLE_POLLER,
	ROLE_STARTER,
	ROLE_STRANGER, /* no worker: it follows a script of its own */
};

struct thread {
	enum role role;
	bool is_untold;          /* no probe writes there */
	ct_time at;              /* when it acts next */
	bool is_asleep;          /* parked, or in its poll */
	ct_time called_until;    /* in a system call that blocks until then; 0: it is not */
	ct_time sleeps_until;    /* the poll's time-out */
	uint32_t top;            /* the coroutine that it runs */
	uint32_t leaving;        /* that it has still to leave */
	uint32_t shadow;         /* that it runs although another one does */
	uint32_t script;         /* a stranger's: a coroutine that is never created */
	int64_t ran_ns;          /* by the kernel's account, when what it is at is done */
	int64_t kept_waiting_ns; /* for a processor, likewise */
	ct_time busy_from;       /* what it is at: */
	ct_time busy_until;
	int64_t busy_ns; /* how long it runs in between; the rest it waits for a processor */
	bool wrote;      /* since its account was read last */
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
	uint32_t copy_of; /* the first descriptor of the same file + 1; 0: this is it */
	uint32_t nr_open; /* of the first: descriptors */
	bool is_open;
	bool was_told;    /* that it is ready */
	bool is_ready;    /* and the poller does not know it */
	int64_t nr_bytes; /* of the first: there to be read */
	ct_time arrival;  /* the next ones */
	uint32_t nr_arrivals;
	int64_t every;
};

struct queued {
	uint32_t coro;
	uint32_t worker; /* the only one that may take it; 0: any */
};

/* A lock that was taken, for as long as it takes, with another one held. */
struct nesting {
	uint32_t coro;
	uint32_t outer;
	uint32_t inner;
	uint64_t held; /* 1 << lock: all that it held */
	ct_time time;
};

struct group {
	const char *name;
	unsigned rule;  /* enum ct_rule that it is meant to make true; 0: none */
	uint32_t first; /* its coroutines */
	uint32_t count;
};

/* How the program and its probe go about it. */
struct manner {
	bool tells_queues;
	bool tells_awaits;
	bool tells_notifies;
	bool tells_takings;
	bool tells_deadlines; /* of sleepers, too */
	bool names_frames;    /* wakes name frames, not ids */
	bool hands_over;      /* locks go to the next one, not back */
	bool cancels;         /* a token ends the suspend, and no queue is gone through */
	bool returns;         /* a coroutine's end is told before its destruction */
	bool has_accounts;
	bool is_looked_at;  /* the engine looks at threads at the end */
	bool is_crowded;    /* others want the processors */
	bool exits;         /* when all is done */
	bool hides_threads; /* there are more than the engine looks at */
	bool has_handler;   /* of a signal, that can set things going */
	bool is_skewed;
	bool is_hasty;  /* stamps are taken before what they follow has come to its end */
	bool is_fenced; /* but for those of wakes, locks and creations */
	bool loses;
	bool is_attached_late;
};

struct world {
	uint64_t seed;
	uint64_t chance;
	struct manner manner;
	ct_time now;
	ct_time end;   /* of the observation */
	ct_time ended; /* the process, by itself or by the signal; NEVER: it runs on */
	int signal;
	bool is_over; /* the observation: nothing is told any more */
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
	afterwards; /* channels that something unseen sends to, when the observation is over */
	VEC(uint64_t) free_addresses; /* of those that nobody names any more */
	VEC(struct ct_event) events;
	uint32_t nr_runs[MOST_SITES];        /* by site: runs after a wait there, */
	uint32_t nr_late[MOST_SITES];        /* and how many of them came late */
	uint32_t nr_woken[MOST_SITES];       /* by site: waits there that a wake ended, */
	uint32_t nr_woken_again[MOST_SITES]; /* and how many of them by two */
};

/* ---------------------------------------------------------------- chance (world.c) */

uint32_t below(struct world *world, uint32_t limit);
/* Does it happen, once in so many times? */
bool once_in(struct world *world, uint32_t times);
int64_t between(struct world *world, int64_t least, int64_t most);

/* ---------------------------------------------------------------- making one (world.c) */

void world_init(struct world *world, uint64_t seed);
void world_fini(struct world *world);
uint32_t add_coro(struct world *world, ct_time start);
uint32_t add_lock(struct world *world);
uint32_t add_channel(struct world *world);
uint32_t add_file(struct world *world, int64_t every, uint32_t nr_arrivals);
uint32_t add_stranger(struct world *world, bool is_untold);
struct step *add_step(
	struct world *world, uint32_t coro, enum act act, uint32_t what, int64_t value);

/* ---------------------------------------------------------------- letting it run */

/* Up to the end of the observation; and then on for as long as anything happens (schedule.c). */
void world_run(struct world *world);
void world_go_on(struct world *world);

/* One step of the thread's coroutine, or of a stranger's script (perform.c). */
void perform(struct world *world, uint32_t thread);
/* Its thread leaves it: the second half of a suspend. */
void finish_suspend(struct world *world, uint32_t thread);
/* The coroutine begins to run on the thread, whatever that does just then. */
void start_run(struct world *world, uint32_t thread, uint32_t coro);
/* The doer of something: a thread, and the coroutine on it; 0: the thread itself. */
struct actor {
	uint32_t thread;
	uint32_t coro;
};
void create(struct world *world, struct actor actor, uint32_t coro);
void wake(struct world *world, struct actor actor, uint32_t target, enum mistake mistake);
void put_into_queue(struct world *world, uint32_t thread, uint32_t coro, enum mistake mistake);
uint32_t first_in_list(const struct world *world, enum wait wait, uint32_t what);
struct file *whole_file(struct world *world, uint32_t file);

/* ---------------------------------------------------------------- telling of it (say.c) */

enum place {
	PLACE_START,
	PLACE_SPAWN,
	PLACE_WAKE,
	PLACE_WORK,
	PLACE_COUNTER, /* the counter's name */
	PLACE_WAIT,    /* and what for: enum wait */
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
