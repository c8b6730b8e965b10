/* SPDX-License-Identifier: MIT */
/*
 * Where segments are handed over: an abstract Unix socket that the target's processes connect to.
 *
 * A peer connects, sends one greeting (struct ctp_hello) with the descriptor of its memory beside it, and is done; its
 * greeting waits here even if it is gone by then. Peers of other users are turned away. A peer that says
 * nothing is dropped after two seconds; at most LISTENER_PEERS of them are kept, others wait in the kernel's queue.
 * Nothing here blocks or allocates.
 */
#ifndef COLLECT_LISTENER_H
#define COLLECT_LISTENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/failure.h"

#define LISTENER_PEERS 64

/*
 * Peers whose probes are taken in.
 *
 * The engine's own user's are. An engine of the superuser traces programs that become other users, too; but their users
 * have other programs, and the socket's name can be read by everyone: of these only descendants of the target come in,
 * unless all were asked for.
 */
struct admission {
	pid_t target;    /* 0: there is none yet */
	bool admits_all; /* users, by an engine of the superuser */
};

/* collect_admission_refusal: why this peer is turned away, as the kernel tells who it is; NULL: it is not. */
const char *collect_admission_refusal(const struct admission *admission, uid_t uid, pid_t pid);

/* Someone who has connected and not spoken yet. */
struct listener_peer {
	int descriptor; /* -1: none */
	pid_t pid;
	uint64_t since_ns;
};

struct listener {
	int descriptor;
	char name[64]; /* of the socket, without the leading NUL */
	struct listener_peer peers[LISTENER_PEERS];
	unsigned nr_peers;
	struct admission admission;
};

/* A segment that was handed over; the taker owns the descriptor. */
struct arrival {
	int memory;
	pid_t pid;
	bool is_found; /* in the process, which did not hand it over */
};

/* collect_listener_open: makes the socket, under a name that cannot be guessed. */
enum ct_status collect_listener_open(struct listener *listener, struct ct_error *reterr);

/*
 * collect_listener_next: the next segment that was handed over. CT_OK and *ret_arrival; CT_AGAIN where there
 * is none at present; CT_ERR_REFUSED for a peer that was turned away, with the reason: call again.
 */
enum ct_status collect_listener_next(
	struct listener *listener, struct arrival *ret_arrival, struct ct_error *reterr);

/* collect_listener_close: closes the socket and every peer. */
void collect_listener_close(struct listener *listener);

#endif
