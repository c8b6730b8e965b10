/* SPDX-License-Identifier: MIT */
/*
 * A running process at one moment, as the kernel shows it: its threads and what each of them does, its descriptors and
 * their kinds, and which epoll instances watch which of them.
 *
 * All facts are read from /proc, within limits, and kept. Nothing is read again later, so the process may end, or run
 * on, while the facts are being analysed. The process is not stopped, so two threads are not observed at exactly the
 * same instant. Names and links are texts that the process chose; nothing here trusts them.
 */
#ifndef KERNEL_LIVE_H
#define KERNEL_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/failure.h"
#include "base/vec.h"
#include "kernel/procfs.h"

/* Limits; if there is more, live.is_cut is set. */
#define LIVE_THREADS_MAX 4096u
#define LIVE_DESCRIPTORS_MAX 65536u
#define LIVE_WATCHES_MAX 262144u

#define LIVE_NAME_BYTES 32
#define LIVE_LINK_BYTES 128

struct live_thread {
	uint64_t tid;
	char name[LIVE_NAME_BYTES];
	char state; /* the letter in /proc */
	char waits_in
		[LIVE_NAME_BYTES]; /* the kernel function that it sleeps in; "": none, or the kernel does not show it */
	int32_t call;       /* the result of procfs_call_at */
	int32_t descriptor; /* the call's descriptor; -1: none, or unknown */
	uint64_t arguments[PROCFS_ARGUMENTS];
};

/* What a read of a descriptor would find. */
enum live_arrival {
	LIVE_ARRIVAL_NONE =
		0, /* nothing, or it is not known: of pipes, and of sockets that are not TCP or unix */
	LIVE_ARRIVAL_BYTES,
	LIVE_ARRIVAL_END,   /* the peer has closed its end, and that was not read */
	LIVE_ARRIVAL_PEERS, /* connections that were not accepted */
	LIVE_ARRIVAL_COUNT, /* of an eventfd or a timerfd */
};

struct live_descriptor {
	int32_t number;
	char link[LIVE_LINK_BYTES];
	uint64_t inode; /* 0: unknown */
	enum live_arrival arrival;
	uint64_t nr_arrived;
	bool has_lasted; /* something had arrived at an earlier look, too (live_compare) */
	int32_t other_end; /* the descriptor of this process that is the other end; -1: none that is known */
	bool is_watched;         /* an epoll instance of this process has it, */
	uint32_t watched_events; /* and waits for these; no bits: all its entries are disarmed */
	bool is_polled;          /* a thread waits for it in poll or select */
};

/* An entry in an epoll instance. */
struct live_watch {
	int32_t epoll;      /* descriptor of the instance */
	int32_t descriptor; /* the descriptor that was registered */
	uint32_t events;    /* as for epoll_ctl; no bits: the entry is disarmed */
	uint64_t inode;     /* of the file that was registered; 0: unknown */
};

struct live {
	pid_t pid;
	bool is_cut;           /* there is more than the limits allow */
	bool are_calls_hidden; /* the kernel does not let us see system calls */
	bool has_ended;        /* all its threads have ended */
	bool is_without_descriptors;
	bool has_unknown_polls; /* a thread is in poll or select, and it is not known for what */
	bool has_epoll;
	bool has_io_uring;
	VEC(struct live_thread) threads;
	VEC(struct live_descriptor) descriptors; /* by number */
	VEC(struct live_watch) watches;
};

/*
 * live_look: looks at the process now. CT_ERR_NOT_FOUND: no process has this id. Facts that we may not see, or that
 * vanished before they were read, are missing, and the flags say so. The caller frees *ret_live with live_free.
 */
enum ct_status live_look(pid_t pid, struct live **ret_live, struct ct_error *reterr);

/* live_compare: notes in the later look at a process what had arrived at the earlier one, too. */
void live_compare(const struct live *before, struct live *after);

/* live_free: NULL is allowed. */
void live_free(struct live *live);

/* live_thread_of, live_descriptor_of: find a thread by its id, a descriptor by its number; NULL: there was none. */
const struct live_thread *live_thread_of(const struct live *live, uint64_t tid);
const struct live_descriptor *live_descriptor_of(const struct live *live, int32_t number);

/*
 * live_next_watch: finds the next epoll entry for this descriptor after `after` (NULL: the first one); NULL: there is
 * none.
 */
const struct live_watch *live_next_watch(
	const struct live *live, int32_t descriptor, const struct live_watch *after);

/* live_is_of: is the entry for the file that the descriptor is now? The number may have been another file's before. */
bool live_is_of(const struct live_watch *watch, const struct live_descriptor *descriptor);

/* live_is_armed: does the entry wait for any event? A one-shot entry waits for nothing after its report. */
bool live_is_armed(const struct live_watch *watch);

/* The functions below return constant texts, or facts about the numbers that /proc tells. */
bool live_is_about_descriptor(int32_t call);
/* live_state_words: "sleeps"; "is in a state of its own" if the letter is unknown. */
const char *live_state_words(char state);
/* live_kind_name, live_kind_words: "pipe", "a pipe". */
const char *live_kind_name(const struct live_descriptor *descriptor);
const char *live_kind_words(const struct live_descriptor *descriptor);

#endif
