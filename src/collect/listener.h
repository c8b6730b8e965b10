/* SPDX-License-Identifier: MIT */
/*
 * Where segments are handed over: an abstract Unix socket that the target's processes connect to.
 *
 * A peer connects, sends one greeting (struct ctp_hello) together with the descriptor of its memory, and is done; the
 * greeting waits here even if the peer is gone by then. Peers of other users are turned away. A peer that sends nothing
 * is dropped after two seconds; at most LISTENER_PEERS silent peers are kept, and others wait in the kernel's queue.
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
 * Which peers' probes are admitted.
 *
 * Peers of the engine's own user are admitted. An engine of the superuser traces programs that become other users, too;
 * but those users have other programs, and everyone can read the socket's name. So of other users' peers only
 * descendants of the target are admitted, unless all users were asked for.
 */
struct admission {
	pid_t target;    /* 0: there is no target yet */
	bool admits_all; /* admit peers of all users, if the engine is the superuser's */
};

/*
 * collect_admission_refusal: returns why this peer is turned away, by what the kernel says about it; NULL: it is
 * admitted.
 */
const char *collect_admission_refusal(const struct admission *admission, uid_t uid, pid_t pid);

/* A peer that has connected and not sent a greeting yet. */
struct listener_peer {
	int descriptor; /* -1: no peer */
	pid_t pid;
	uint64_t since_ns;
};

struct listener {
	int descriptor;
	char name[64]; /* the socket's name, without the leading NUL */
	struct listener_peer peers[LISTENER_PEERS];
	unsigned nr_peers;
	struct admission admission;
};

/* A segment that was handed over. The receiver owns the descriptor. */
struct arrival {
	int memory;
	pid_t pid;
	bool is_found; /* found in the process, which did not hand it over */
};

/* collect_listener_open: makes the socket, under a name that cannot be guessed. */
enum ct_status collect_listener_open(struct listener *listener, struct ct_error *reterr);

/*
 * collect_listener_next: returns the next segment that was handed over. CT_OK and *ret_arrival; CT_AGAIN if there is
 * none at present; CT_ERR_REFUSED for a peer that was turned away, with the reason: call again.
 */
enum ct_status collect_listener_next(
	struct listener *listener, struct arrival *ret_arrival, struct ct_error *reterr);

/* collect_listener_close: closes the socket and every peer. */
void collect_listener_close(struct listener *listener);

#endif
