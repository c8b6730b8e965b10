/* SPDX-License-Identifier: MIT */
/*
 * A living process at one moment, as the kernel tells of it: its threads and what each of them does, its descriptors
 * and what they are, and which epoll instances watch which of them.
 *
 * All of it is read from /proc, within bounds, and kept: nothing is asked for again, so that the process may end, or
 * go on, while somebody thinks about it. The process is not stopped, so that two threads are not seen at
 * quite the same instant. Names and links are texts that the process chose: nothing here trusts them.
 */
#ifndef KERNEL_LIVE_H
#define KERNEL_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/failure.h"
#include "base/vec.h"
#include "kernel/procfs.h"

/* Anything beyond is not looked at, and said so (live.is_cut). */
#define LIVE_THREADS_MAX 4096u
#define LIVE_DESCRIPTORS_MAX 65536u
#define LIVE_WATCHES_MAX 262144u

#define LIVE_NAME_BYTES 32
#define LIVE_LINK_BYTES 128

struct live_thread {
	uint64_t tid;
	char name[LIVE_NAME_BYTES];
	char state; /* the letter of /proc */
	char waits_in
		[LIVE_NAME_BYTES]; /* the kernel's function; "": in none, or it does not tell us */
	int32_t call;              /* as procfs_call_at has it */
	int32_t descriptor;        /* that the call is about; -1: about none, or not known */
	uint64_t arguments[PROCFS_ARGUMENTS];
};

struct live_descriptor {
	int32_t number;
	char link[LIVE_LINK_BYTES];
	uint64_t inode; /* 0: not known */
};

/* An entry in an epoll instance. */
struct live_watch {
	int32_t epoll;      /* descriptor of the instance */
	int32_t descriptor; /* that was registered */
	uint32_t events;    /* as epoll_ctl has them; none of them: it is disarmed */
	uint64_t inode;     /* of the file that was registered; 0: not known */
};

struct live {
	pid_t pid;
	bool is_cut;           /* there is more than the bounds allow */
	bool are_calls_hidden; /* the kernel does not let us know system calls */
	bool has_ended;        /* no thread of it lived any more */
	bool is_without_descriptors;
	VEC(struct live_thread) threads;
	VEC(struct live_descriptor) descriptors;
	VEC(struct live_watch) watches;
};

/*
 * live_look: looks at the process now. CT_ERR_NOT_FOUND: there is none of this id. Facts that may not be seen, or were
 * gone before they were read, are missing, and the flags say so. The caller frees *ret_live with live_free.
 */
enum ct_status live_look(pid_t pid, struct live **ret_live, struct ct_error *reterr);

/* live_free: NULL is allowed. */
void live_free(struct live *live);

/* live_thread_of, live_descriptor_of: by id and number; NULL: there was none. */
const struct live_thread *live_thread_of(const struct live *live, uint64_t tid);
const struct live_descriptor *live_descriptor_of(const struct live *live, int32_t number);

/*
 * live_next_watch: the next entry of an epoll instance for this number, behind `after` (NULL: from the first one on);
 * NULL: none.
 */
const struct live_watch *live_next_watch(
	const struct live *live, int32_t descriptor, const struct live_watch *after);

/* live_is_armed: does the entry wait for anything? One that was made for one report only waits for nothing after it. */
bool live_is_armed(const struct live_watch *watch);

/* Words of constant text. live_call_name: "read"; NULL: no call of this number is known. */
const char *live_call_name(int32_t call);
bool live_is_about_descriptor(int32_t call);
/* live_state_words: "sleeps"; "is in a state of its own" for a letter that is not known. */
const char *live_state_words(char state);
/* live_kind_name, live_kind_words: "pipe", "a pipe". */
const char *live_kind_name(const struct live_descriptor *descriptor);
const char *live_kind_words(const struct live_descriptor *descriptor);

#endif
