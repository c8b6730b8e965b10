/* SPDX-License-Identifier: MIT */
/* The state of the collector, and the processes in it, shared by the collector's files. Private to src/collect. */
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
#include "collect/samples.h"
#include "collect/segment.h"
#include "version1/service.h"
#include "collect/sleep.h"
#include "collect/target.h"
#include "kernel/thread_ids.h"
#include "collect/threads.h"
#include "collect/waited.h"
#include "base/vec.h"

#define COLLECT_PROCESSES 256
#define COLLECT_SEGMENTS 256
#define COLLECT_YOUNG 128
#define COLLECT_THREAD_NAME 32
#define COLLECT_SITES_MAX 1048576u
#define COLLECT_NOTES 16

/* A process that has attached, or the target itself. Zeroed: a free slot. */
struct process {
	uint32_t number; /* its number in the trace; 0: free */
	uint32_t parent; /* number of its parent; 0: the parent is not traced */
	pid_t pid;
	/* readable once the process has ended; -1: the kernel has no pidfds, ask by id */
	int pidfd;
	uint32_t described; /* checksum of program and command line as defined */
	bool is_defined;
	bool is_target;
	bool has_ended;
	bool has_probe;
	bool has_ledger;
	uint64_t ended_ns;

	struct thread_ids ids;
	struct threads threads;
	/* number of the thread that stands for unknown threads; 0: not made */
	uint32_t unknown_thread;

	bool was_mapped;     /* its mappings have been read at least once */
	bool wants_mappings; /* a site lies outside of the known mappings */
	uint64_t mapped_ns;

	uint64_t nr_moves;          /* events of coroutines, ever */
	uint64_t moved_ns;          /* when nr_moves was last seen to grow */
	uint64_t wrote_ns;          /* when the process was last seen to write anything */
	uint64_t snapshot_after_ns; /* coroutines quiet for this long: look at the threads */
	uint64_t silence_of_ns;     /* the `wrote_ns` to which silence_after_ns belongs */
	uint64_t silence_after_ns;  /* nothing written for this long: look at the threads */
	uint64_t looked_ns;         /* end of the last look at the threads */
	uint64_t look_cost_ns;      /* duration of that look */
	uint32_t observed_segment;  /* segment of the engine's own records; 0: not made */
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

/* When the flight recorder of a running target began. Zeroed: the target has none. */
struct past_begin {
	uint32_t clock; /* the clock of reading.counter */
	struct clock_reading reading;
};

/* A thread's state, read but not recorded yet. */
struct thread_look {
	uint32_t thread;
	struct ctp_record record;
	uint64_t turns;    /* its turns on a processor before the look */
	unsigned nr_polls; /* number of its records in `polls`, in the same order */
};

/* What a descriptor that epoll watches stands for: a peer arrives or a process ends; or a wait just ends. */
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
	uint64_t ended_ns; /* time of the last look */

	struct process processes[COLLECT_PROCESSES];
	struct segment segments[COLLECT_SEGMENTS];
	struct ctp_record *scratch; /* room for one chunk */
	uint8_t run_id[16];
	bool is_from_memory; /* the trace has coroutines that were seen in memory */

	/* numbers given out so far */
	uint32_t nr_processes;
	uint32_t nr_segments;
	uint32_t nr_threads;
	uint32_t nr_streams;

	VEC(struct collect_site) sites;
	struct mappings mappings;
	struct samples samples;
	struct waited *waited; /* NULL: nobody asks */

	struct clock_reading first_reading; /* taken before the target was started */
	struct past_begin past;
	uint64_t now_ns;   /* beginning of the present look */
	uint64_t reach_ns; /* reach of time-stamps; 0: not measured yet */
	struct clock_line line;
	/* time of the last clock reading, heartbeat, flush, settling of losses */
	uint64_t clock_ns;
	uint64_t heartbeat_ns;
	uint64_t flush_ns;
	uint64_t settle_ns;
	uint64_t silence_ns;
	uint64_t seek_ns;    /* last search for segments of a running target */
	uint64_t sampled_ns; /* last sampling of threads' times */

	struct sleep sleep;
	uint64_t looked_ns;    /* beginning of the previous look */
	uint64_t arrivals_ns;  /* time of the last look for arrivals */
	uint64_t active_ns;    /* time of the last look that found records */
	uint64_t pause_ns;     /* pause before the next look */
	uint64_t most_records; /* most records that one ring had at this look */
	bool has_news;         /* the last wait ended because something happened */
	bool has_wakes;        /* a probe of version 1 ended the last wait */
	bool has_arrivals;     /* there are more arrivals than one look accepts */
	bool has_unwatched;    /* the end of some process can only be noticed by asking */

	struct young_thread young[COLLECT_YOUNG];
	unsigned nr_young;
	VEC(struct thread_look) looks; /* threads of the process under observation */
	/* descriptors for which its threads wait by poll or select */
	VEC(struct ctp_record) polls;

	struct coarse *coarse;    /* NULL: nothing is recorded live */
	uint64_t coarse_step_ns;  /* 0: probes are not asked to use the coarse clock */
	bool has_coarse;          /* some probes use the coarse clock */
	uint32_t chunks_per_ring; /* as in ctp_orders */
	bool overwrites;          /* full rings overwrite their oldest records */

	uint64_t nr_attached;
	uint64_t nr_refused;
	uint64_t nr_unmapped;
	uint64_t nr_sites_refused;
	uint64_t nr_stopped_clocks; /* coarse clocks that no thread advances */
	uint64_t nr_sites_forgotten;
	bool has_probe;
	bool has_ledger;
	bool is_go; /* the program's runtime, Go's, writes a trace itself */
	/* The call by which the program that is meant attaches; NULL: not known yet. */
	const struct ct_attaching *attaching;
	bool has_ledger_absence;
	char ledger_absence[240];
	struct ct_error refusal; /* why the last peer was turned away */

	struct ct_note notes[COLLECT_NOTES];
	uint32_t nr_notes;
	char refusal_note[sizeof(((struct ct_error *)NULL)->text) + 96];
	char samples_note[256];
};

/* Loops over the used slots. The body is one statement, and may close the present slot. */
#define for_each_in(places, nr_places, at)                           \
	for ((at) = (places); (at) < (places) + (nr_places); (at)++) \
		if ((at)->number)
#define for_each_segment(collect, segment) \
	for_each_in((collect)->segments, COLLECT_SEGMENTS, segment)
#define for_each_process(collect, process) \
	for_each_in((collect)->processes, COLLECT_PROCESSES, process)

/* ---------------------------------------------------------------- process.c */

/* collect_process_find: returns the latest process that has this id and has not been released, or NULL. */
struct process *collect_process_find(struct collect *collect, pid_t pid);

/* collect_process_is_gone: returns whether the process has ended by now, whether that was noted or not. */
bool collect_process_is_gone(const struct process *process);

/*
 * collect_process_was_replaced: returns whether the process is gone, and the peer that handed over a segment under its
 * id is another process with the same id. `attached_ns` is when that segment was made, as the segment says. If both are
 * gone when they are looked at, the second process may be taken for the first.
 */
bool collect_process_was_replaced(const struct process *process, uint64_t attached_ns);

/* A segment's statements about its process, used if /proc does not say. */
struct process_facts {
	const char *program;
	const char *command_line;
	pid_t parent; /* 0: not stated */
};

/* collect_process_add: adds a process and defines it. NULL if the bound is reached. */
struct process *collect_process_add(
	struct collect *collect, pid_t pid, const struct process_facts *facts);

/*
 * collect_process_define: defines the process again if it has become another program (exec), as a further segment may
 * show.
 */
void collect_process_define(
	struct collect *collect, struct process *process, const struct process_facts *facts);

/*
 * collect_process_name_threads: defines threads again that have named themselves since they were defined; once for
 * each.
 */
void collect_process_name_threads(struct collect *collect);

/* collect_process_naming_due_ns: returns when the next of those threads is to be asked; UINT64_MAX: never. */
uint64_t collect_process_naming_due_ns(const struct collect *collect);

/*
 * collect_process_map: reads the process's mappings, and defines new ones. Returns false if the process is gone, or if
 * its mappings may not be read.
 */
bool collect_process_map(struct collect *collect, struct process *process);

/*
 * collect_process_thread: returns the number of the thread that has `tid` at `time`; a new thread is defined. Never 0.
 */
uint32_t collect_process_thread(
	struct collect *collect, struct process *process, uint64_t tid, uint64_t time);

/*
 * collect_process_thread_told: does the same for a thread that the process itself named, by an id of its own namespace.
 */
uint32_t collect_process_thread_told(
	struct collect *collect, struct process *process, uint64_t told, uint64_t time);

/* collect_process_thread_stopped: notes that the thread of this number recorded its end. */
void collect_process_thread_stopped(
	struct process *process, uint32_t number, uint64_t told, uint64_t time);

/* collect_process_end: defines the process's ending, and frees the slot. Close its segments first. */
void collect_process_end(
	struct collect *collect, struct process *process, const struct ct_define_ending *ending);

/*
 * collect_process_segment: defines a further segment, of the engine's own records of a process, and returns its number.
 * collect_process_stream: defines a further stream of a segment, and returns the stream's number.
 */
uint32_t collect_process_segment(struct collect *collect, const struct process *process);
uint32_t collect_process_stream(struct collect *collect, uint32_t segment);

/* ---------------------------------------------------------------- collect.c */

/* collect_new: makes a collector in which nothing is open, to be freed by collect_close. NULL: out of memory. */
struct collect *collect_new(struct ct_sink *sink);

/* collect_define_run: puts the first of all definitions, or puts it again with what has become known. */
void collect_define_run(struct collect *collect, const char *host);

/* --------------------------------------------------------------- segments, in segment.c */

/*
 * collect_attach: checks and maps the memory that a process handed over, and owns the descriptor from now on. A failure
 * says why the peer is turned away.
 */
enum ct_status collect_attach(
	struct collect *collect, const struct arrival *arrival, struct ct_error *reterr);

/* ---------------------------------------------------------------- adopt.c */

/*
 * collect_adopt_segment: makes the segment's events wanted from now on. Losses that were not counted for lack of an
 * engine are not counted now either, except events that found a ring full.
 */
void collect_adopt_segment(struct segment *segment);

/* collect_adopt_ring: goes on where the last reader stopped, or at the oldest record that is left. */
void collect_adopt_ring(
	struct segment *segment, const struct ring_space *space, struct segment_ring *ring);

/*
 * collect_adopt_first_thread: returns the thread that wrote the records before the ring's first THREAD_START or
 * THREAD_STOP: the thread of a stop that comes first. 0: a start comes first, so the thread is not known; or there are
 * no records before it, or neither comes.
 */
uint32_t collect_adopt_first_thread(struct segment *segment, const struct segment_ring *ring);

/* collect_adopt_note_first: notes `raw`, the time of the first record that is read from the ring. */
void collect_adopt_note_first(
	const struct segment *segment, struct segment_ring *ring, uint64_t raw);

/*
 * collect_adopt_lost_past: corrects the `loss` of records that were overwritten in the ring. If they were overwritten
 * before the ring was adopted, they lay between the recorder's beginning and the first record that was left: `loss`
 * then has that interval.
 */
void collect_adopt_lost_past(const struct segment *segment, const struct segment_ring *ring,
	struct ct_define_loss *loss);

/* ---------------------------------------------------------------- images.c */

/*
 * collect_images_note_arrival: after the arrival of this segment: harvests for the last time, and closes, the segments
 * that its process no longer has.
 */
void collect_images_note_arrival(struct collect *collect, const struct segment *segment);

/*
 * collect_images_give_back: does the same for every process. A segment that cannot be judged stays. Reads
 * /proc/PID/maps once for each process.
 */
void collect_images_give_back(struct collect *collect);

/* ---------------------------------------------------------------- seek.c */

/*
 * collect_seek_process: opens the process, and makes it the target. CT_ERR_NOT_FOUND: there is no process of this id.
 */
enum ct_status collect_seek_process(struct collect *collect, pid_t pid, struct ct_error *reterr);

/*
 * collect_seek_past: stores in collect->past when the target's own flight recorder began, because what it still holds
 * is part of the recording. Stores nothing if the target has no readable flight recorder.
 */
void collect_seek_past(struct collect *collect);

/*
 * collect_seek_segments: attaches the target's segments that are not attached yet. CT_OK: there is at least one now.
 * CT_ERR_REFUSED: the target's descriptors may not be looked at; CT_ERR_BUSY: another recording has the segments;
 * CT_ERR_NO_PROBE: there are none.
 */
enum ct_status collect_seek_segments(struct collect *collect, struct ct_error *reterr);

/* ---------------------------------------------------------------- observe.c */

/*
 * collect_observe_process: records the state of each thread of the process; all states were true at one moment. Returns
 * false if nothing was recorded because the process was ending.
 */
bool collect_observe_process(struct collect *collect, struct process *process);

/* collect_observe_put: records what the engine itself has seen of a thread, now. */
void collect_observe_put(struct collect *collect, struct process *process, uint32_t thread,
	const struct ctp_record *record);

/*
 * collect_thread_time_sample: records, for threads that wrote something since the last call, how long they have run and
 * have waited for a processor, by the kernel's account; at most 64 threads of each segment, and the others at the next
 * call.
 */
void collect_thread_time_sample(struct collect *collect);

/* ---------------------------------------------------------------- silence.c */

/*
 * collect_silence_look: looks at the threads of processes that wrote nothing, or whose coroutines have not moved, for a
 * while.
 */
void collect_silence_look(struct collect *collect);

/* collect_silence_next_ns: returns when the next such process is to be looked at; UINT64_MAX: never. */
uint64_t collect_silence_next_ns(const struct collect *collect);

/* ---------------------------------------------------------------- look.c */

/* collect_look_arrivals: accepts the peers that have handed something over. Returns false if no peer is left. */
bool collect_look_arrivals(struct collect *collect);

/* collect_look_rings: drains every ring once. Returns the number of records. */
uint64_t collect_look_rings(struct collect *collect);

/*
 * collect_look_thread_times: calls collect_thread_time_sample, at most ten times a second, however often it is called.
 */
void collect_look_thread_times(struct collect *collect);

/* collect_look_clocks: does what is due by time: clock readings, heartbeats, losses, flushes. */
void collect_look_clocks(struct collect *collect);

/* collect_look_due_ns: returns when the next timed task is due in silence, on CLOCK_MONOTONIC. */
uint64_t collect_look_due_ns(const struct collect *collect);

/* collect_look_last: takes the last look at one process: everything it has published, and what it lost. */
void collect_look_last(struct collect *collect, struct process *process);

/*
 * collect_define_clock: reads and defines the clocks. collect_define_reading: defines a reading taken earlier.
 * collect_define_reading_of: does the same if the reading's counter is of another clock.
 */
void collect_define_clock(struct collect *collect);
void collect_define_reading_of(
	struct collect *collect, uint32_t clock, const struct clock_reading *reading);
void collect_define_reading(struct collect *collect, const struct clock_reading *reading);

/* collect_define_heartbeat: defines a heartbeat: everything published before the present look began is in the sink. */
void collect_define_heartbeat(struct collect *collect);

/* ---------------------------------------------------------------- wait.c */

/*
 * collect_wait_for_news: waits until the next look, at most `wait_ms` (-1: no bound): until something happens or is
 * due.
 */
enum ct_status collect_wait_for_news(struct collect *collect, int wait_ms, struct ct_error *reterr);

/* collect_wait_adapt: after a look, decides how long the next wait is. */
void collect_wait_adapt(struct collect *collect, uint64_t nr_records, enum harvest harvest);

/* ---------------------------------------------------------------- serve.c */

/* collect_serve: serves probes of version 1, unless the options forbid it. */
enum ct_status collect_serve(
	struct collect *collect, const struct ct_record_options *options, struct ct_error *reterr);

/* ---------------------------------------------------------------- notes.c */

/* collect_define_notes: puts the notes of collect_notes into the sink. */
void collect_define_notes(struct collect *collect);

#endif
