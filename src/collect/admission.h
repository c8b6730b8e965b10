/* SPDX-License-Identifier: MIT */
/*
 * Peers whose probes are taken in.
 *
 * The engine's own user's are. An engine of the superuser traces programs that become other users, too; but their users
 * have other programs, and the socket's name can be read by everyone: of these only descendants of the target come in,
 * unless all were asked for.
 */
#ifndef COLLECT_ADMISSION_H
#define COLLECT_ADMISSION_H

#include <stdbool.h>
#include <sys/types.h>

struct admission {
	pid_t target;    /* 0: there is none yet */
	bool admits_all; /* users, by an engine of the superuser */
};

/* collect_admission_refusal: why this peer is turned away, as the kernel tells who it is; NULL: it is not. */
const char *collect_admission_refusal(const struct admission *admission, uid_t uid, pid_t pid);

#endif
