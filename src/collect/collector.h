/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the collector: its state, and the processes in it. Private to src/collect.
 */
#ifndef COLLECT_COLLECTOR_H
#define COLLECT_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "base/clock_line.h"
#include "collect/collect.h"
#include "collect/listener.h"
#include "collect/mappings.h"
#include "collect/output.h"
#include "collect/segment.h"
#include "version1/service.h"
#include "collect/sleep.h"
#include "collect/target.h"
#include "kernel/thread_ids.h"
#include "collect/threads.h"
#include "base/vec.h"

#define COLLECT_PROCESSES 256
#define COLLECT_SEGMENTS 256
#define COLLECT_YOUNG 128
#define COLLECT_THREAD_NAME 32
#define COLLECT_SITES_MAX 1048576u
#define COLLECT_NOTES 12

/* A process that has attached, or the target itself. Zeroed, a slot is free. */
struct process {
	uint32_t number; /* in the trace; 0: free */
	uint32_t parent; /* likewise; 0: not traced */
	pid_t pid;
	int pidfd; /* readable once it has ended; -1: the kernel has none, it is asked for by id */
	uint32_t described; /* checksum of its program and command line */
	bool is_defined;
	bool is_target;
	bool has_ended;
	bool has_probe;
	bool has_ledger;
	uint64_t ended_ns;

	struct thread_ids ids;
	struct threads threads;
	/* number of the thread that stands for those not known; 0: not made */
	uint32_t unknown_thread;

	bool was_mapped;     /* its mappings were read at least once */
	bool wants_mappings; /* a site lies outside of what is known */
	uint64_t mapped_ns;

	uint64_t nr_moves;          /* events of coroutines, ever */
	uint64_t moved_ns;          /* when they were last seen to grow */
	uint64_t wrote_ns;          /* when anything of it was last seen to be written */
	uint64_t snapshot_after_ns; /* coroutines quiet for so long: look at the threads */
	uint64_t silence_of_ns;     /* the `wrote_ns` that the next one is of */
	uint64_t silence_after_ns;  /* nothing written for so long: look at the threads */
	uint64_t looked_ns;         /* end of the last look at the threads */
	uint64_t look_cost_ns;      /* how long that took */
	uint32_t observed_segment;  /* of the engine's own records; 0: not made */
	uint32_t observed_stream;
};

/* A thread that may not have given itself its name yet. */
struct young_thread {
	struct process *process;
	uint32_t number;
	uint64_t tid;
	uint64_t since_ns;
	char name[COLLECT_THREAD_NAME];
};

/* When the flight recorder of a target that was found began. Zeroed: it has none. */
struct past_begin {
	uint32_t clock; /* of `counter` */
	struct clock_reading reading;
};

/* A thread's state, read and not recorded yet. */
struct thread_look {
	uint32_t thread;
	struct ctp_record record;
	uint64_t turns;    /* on a processor, before that */
	unsigned nr_polls; /* of the records of polls, in the same order */
};

/* What a descriptor that epoll watches stands for: somebody arrives, or ends; or a wait ends, and nothing else. */
enum collect_event {
	COLLECT_NEWS,
	COLLECT_WAKES,
};

struct collect {
	struct output output;
	struct listener listener;
	struct service service;
	struct target target;
	int waiting; /* the epoll descriptor */
	bool was_finished;
	uint32_t categories_off;
	bool is_released;
	bool is_stopping;
	bool was_wound_up;
	uint64_t ended_ns; /* the last look */

	struct process processes[COLLECT_PROCESSES];
	struct segment segments[COLLECT_SEGMENTS];
	struct ctp_record *scratch; /* one chunk */
	uint8_t run_id[16];

	/* numbers given out so far */
	uint32_t nr_processes;
	uint32_t nr_segments;
	uint32_t nr_threads;
	uint32_t nr_streams;

	VEC(struct collect_site) sites;
	struct mappings mappings;

	struct clock_reading first_reading; /* before the target was started */
	struct past_begin past;
	uint64_t now_ns;   /* begin of the present look */
	uint64_t reach_ns; /* of time-stamps; 0: not measured yet */
	struct clock_line line;
	uint64_t clock_ns; /* of the last clock reading, heartbeat, flush, settling of losses */
	uint64_t heartbeat_ns;
	uint64_t flush_ns;
	uint64_t settle_ns;
	uint64_t silence_ns;
	uint64_t seek_ns;    /* when segments of a found target were looked for */
	uint64_t sampled_ns; /* threads' times */

	struct sleep sleep;
	uint64_t looked_ns;    /* begin of the look before */
	uint64_t arrivals_ns;  /* of the last look for arrivals */
	uint64_t active_ns;    /* of the last one that found records */
	uint64_t pause_ns;     /* before the next look */
	uint64_t most_records; /* that one ring had at this look */
	bool has_news;         /* the last wait ended for a reason */
	bool has_wakes;        /* a probe of version 1 has ended it */
	bool has_arrivals;     /* more have handed something over than one look takes in */
	bool has_unwatched;    /* a process can only be asked whether it lives */

	struct young_thread young[COLLECT_YOUNG];
	unsigned nr_young;
	VEC(struct thread_look) looks; /* of the process that is being looked at */
	VEC(struct ctp_record) polls;  /* descriptors that its threads wait for by poll or select */

	struct coarse *coarse;    /* NULL: nothing is recorded live */
	uint64_t coarse_step_ns;  /* 0: probes are not asked to use the coarse clock */
	bool has_coarse;          /* some have done so */
	uint32_t chunks_per_ring; /* as ctp_orders has it */
	bool overwrites;          /* rings that are full */

	uint64_t nr_attached;
	uint64_t nr_refused;
	uint64_t nr_unmapped;
	uint64_t nr_sites_refused;
	uint64_t nr_stopped_clocks; /* coarse ones that nobody advances */
	uint64_t nr_sites_forgotten;
	bool has_probe;
	bool has_ledger;
	bool is_go; /* the program, whose runtime writes a trace of its own */
	/* What the program that is meant calls; NULL: that is not known yet. */
	const struct ct_attaching *attaching;
	bool has_ledger_absence;
	char ledger_absence[240];
	struct ct_error refusal; /* of the last one that was turned away */

	struct ct_note notes[COLLECT_NOTES];
	uint32_t nr_notes;
	char refusal_note[512];
};

/* Each one that there is. The body is one statement, and may close the one that it has. */
#define for_each_in(places, nr_places, at)                           \
	for ((at) = (places); (at) < (places) + (nr_places); (at)++) \
		if ((at)->number)
#define for_each_segment(collect, segment) \
	for_each_in((collect)->segments, COLLECT_SEGMENTS, segment)
#define for_each_process(collect, process) \
	for_each_in((collect)->processes, COLLECT_PROCESSES, process)

/* ---------------------------------------------------------------- process.c */

/* collect_process_find: the latest process that has this id and has not been let go, or NULL. */
struct process *collect_process_find(struct collect *collect, pid_t pid);

/* collect_process_is_gone: it has ended by now, whether that was noted or not. */
bool collect_process_is_gone(const struct process *process);

/*
 * collect_process_was_replaced: the process is gone, and the peer that has handed over a segment under its id is
 * another one, which was given the same id. `attached_ns` is when that segment was made, as it says itself. Where both
 * are gone when they are looked at, the second may be taken for the first.
 */
bool collect_process_was_replaced(const struct process *process, uint64_t attached_ns);

/* A segment's word on what its process is, where /proc does not tell it. */
struct process_facts {
	const char *program;
	const char *command_line;
	pid_t parent; /* 0: not told */
};

/* collect_process_add: takes up a process and defines it. NULL where the bound is reached. */
struct process *collect_process_add(
	struct collect *collect, pid_t pid, const struct process_facts *facts);

/*
 * collect_process_define: defines it again where it has become another program meanwhile (exec), as a further segment
 * may tell.
 */
void collect_process_define(
	struct collect *collect, struct process *process, const struct process_facts *facts);

/* collect_process_name_threads: threads that have named themselves since they were defined, once for each. */
void collect_process_name_threads(struct collect *collect);

/* collect_process_naming_due_ns: when the next of them is to be asked, UINT64_MAX for never. */
uint64_t collect_process_naming_due_ns(const struct collect *collect);

/* collect_process_map: reads its mappings, and defines what is new. False: it is gone, or they may not be read. */
bool collect_process_map(struct collect *collect, struct process *process);

/* collect_process_thread: the number of the thread that has `tid` at `time`, defined if it is new. Never 0. */
uint32_t collect_process_thread(
	struct collect *collect, struct process *process, uint64_t tid, uint64_t time);

/* collect_process_thread_told: the same of a thread that the process itself named, by an id of its own namespace. */
uint32_t collect_process_thread_told(
	struct collect *collect, struct process *process, uint64_t told, uint64_t time);

/* collect_process_thread_stopped: the thread of this number said that it ends. */
void collect_process_thread_stopped(
	struct process *process, uint32_t number, uint64_t told, uint64_t time);

/* collect_process_end: defines its ending, and gives the slot back. Its segments are closed before. */
void collect_process_end(
	struct collect *collect, struct process *process, const struct ct_define_ending *ending);

/* ---------------------------------------------------------------- collect.c */

/* collect_new: nothing is open yet, and collect_close gives it back. NULL: out of memory. */
struct collect *collect_new(struct ct_sink *sink);

/* collect_define_run: the first definition of all. */
void collect_define_run(struct collect *collect, const char *host);

/* --------------------------------------------------------------- segments, in segment.c */

/*
 * collect_attach: checks and maps the memory that a process handed over; takes the descriptor. A
 * failure is the reason for turning it away.
 */
enum ct_status collect_attach(
	struct collect *collect, const struct arrival *arrival, struct ct_error *reterr);

/* ---------------------------------------------------------------- adopt.c */

/*
 * collect_adopt_segment: has its events wanted from now on. Losses that nobody counted for lack of an engine, besides
 * events that found a ring full, are not counted now either.
 */
void collect_adopt_segment(struct segment *segment);

/* collect_adopt_ring: goes on where the last reader stopped, or at the oldest record that is left. */
void collect_adopt_ring(
	struct segment *segment, const struct ring_space *space, struct segment_ring *ring);

/*
 * collect_adopt_first_thread: whose the records are that are left from before the ring's first word of a thread: of the
 * one that then stops there. Where a start comes first, nobody says. 0: nothing is left from before it,
 * or neither comes.
 */
uint32_t collect_adopt_first_thread(struct segment *segment, const struct segment_ring *ring);

/* collect_adopt_note_first: `raw` is when the first record that is read of the ring was written. */
void collect_adopt_note_first(
	const struct segment *segment, struct segment_ring *ring, uint64_t raw);

/*
 * collect_adopt_lost_past: of what was overwritten in the ring. Where that was before the ring was adopted, it lay
 * between the recorder's beginning and the first record that was left: so `loss` says then.
 */
void collect_adopt_lost_past(const struct segment *segment, const struct segment_ring *ring,
	struct ct_define_loss *loss);

/* ---------------------------------------------------------------- images.c */

/*
 * collect_images_note_arrival: this segment has come: harvests others of its process for the last time that it has no
 * more.
 */
void collect_images_note_arrival(struct collect *collect, const struct segment *segment);

/*
 * collect_images_give_back: the same of every process. A segment that cannot be judged stays. Reads /proc/PID/maps once
 * for each process.
 */
void collect_images_give_back(struct collect *collect);

/* ---------------------------------------------------------------- seek.c */

/*
 * collect_seek_process: opens the process, and makes it the target. CT_ERR_NOT_FOUND: there is none of this id.
 */
enum ct_status collect_seek_process(struct collect *collect, pid_t pid, struct ct_error *reterr);

/*
 * collect_seek_past: when the target's own flight recorder began, into collect->past: what it still holds is part of
 * the recording. Where it has none that can be read, nothing is noted.
 */
void collect_seek_past(struct collect *collect);

/*
 * collect_seek_segments: takes the target's segments that are not taken yet. CT_OK: there is at least one now.
 * CT_ERR_REFUSED: its descriptors may not be looked at; CT_ERR_BUSY: another recording has them;
 * CT_ERR_NO_PROBE: it has none.
 */
enum ct_status collect_seek_segments(struct collect *collect, struct ct_error *reterr);

/* ---------------------------------------------------------------- observe.c */

/*
 * collect_observe_process: records the state of each of its threads; all of them were so at one moment. False: nothing
 * was recorded, since the process was ending.
 */
bool collect_observe_process(struct collect *collect, struct process *process);

/*
 * collect_thread_time_sample: records how long threads that wrote something since the last call have run, and have
 * waited for a processor, by the kernel's account; of each segment at most 64 of them, and the others the next time.
 */
void collect_thread_time_sample(struct collect *collect);

/* ---------------------------------------------------------------- silence.c */

/*
 * collect_silence_look: looks at threads of processes that wrote nothing, or whose coroutines have not moved, for a
 * while.
 */
void collect_silence_look(struct collect *collect);

/* collect_silence_next_ns: when the next of them is to be looked at, UINT64_MAX for never. */
uint64_t collect_silence_next_ns(const struct collect *collect);

/* ---------------------------------------------------------------- look.c */

/* collect_look_arrivals: takes in who has handed something over; false: there is nobody left. */
bool collect_look_arrivals(struct collect *collect);

/* collect_look_rings: drains every ring once. Returns how many records there were. */
uint64_t collect_look_rings(struct collect *collect);

/* collect_look_thread_times: collect_thread_time_sample, ten times a second at most, however often it is asked for. */
void collect_look_thread_times(struct collect *collect);

/* collect_look_clocks: what is due by time: clock readings, heartbeats, losses, flushes. */
void collect_look_clocks(struct collect *collect);

/* collect_look_due_ns: when something is due in silence, on CLOCK_MONOTONIC. */
uint64_t collect_look_due_ns(const struct collect *collect);

/* collect_look_last: the last look at one process: everything it has published, and what it lost. */
void collect_look_last(struct collect *collect, struct process *process);

/*
 * collect_define_clock: reads and defines the clocks. collect_define_reading: defines what was read before.
 * collect_define_reading_of: the same, where the reading's counter is of another clock.
 */
void collect_define_clock(struct collect *collect);
void collect_define_reading_of(
	struct collect *collect, uint32_t clock, const struct clock_reading *reading);
void collect_define_reading(struct collect *collect, const struct clock_reading *reading);

/* collect_define_heartbeat: everything published before the present look began is in. */
void collect_define_heartbeat(struct collect *collect);

/* ---------------------------------------------------------------- wait.c */

/*
 * collect_wait_for_news: passes the time until the next look, at most `wait_ms` (-1: no bound): until there is
 * something, or something is due.
 */
enum ct_status collect_wait_for_news(struct collect *collect, int wait_ms, struct ct_error *reterr);

/* collect_wait_adapt: after a look: decides how long the next wait is. */
void collect_wait_adapt(struct collect *collect, uint64_t nr_records, enum harvest harvest);

/* ---------------------------------------------------------------- serve.c */

/* collect_serve: has probes of version 1 served, unless they are not wanted. */
enum ct_status collect_serve(
	struct collect *collect, const struct ct_record_options *options, struct ct_error *reterr);

/* ---------------------------------------------------------------- notes.c */

/* collect_define_notes: puts what collect_notes says into the sink. */
void collect_define_notes(struct collect *collect);

#endif
