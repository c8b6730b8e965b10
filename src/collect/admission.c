/* SPDX-License-Identifier: MIT */
/*
 * Asking the kernel whose child a peer is.
 */
#include <unistd.h>

#include "collect/admission.h"
#include "kernel/procfs.h"

#define ANCESTORS_MAX \
	1024 /* while they are asked for, ids may be given out anew: no circle is followed for ever */

static bool descends_from(pid_t pid, pid_t ancestor)
{
	struct procfs_stat stat;
	int i;

	for (i = 0; i < ANCESTORS_MAX && pid > 1; i++, pid = stat.parent) {
		if (pid == ancestor)
			return true;
		if (!procfs_stat(pid, &stat))
			return false;
	}
	return false;
}

const char *collect_admission_refusal(const struct admission *admission, uid_t uid, pid_t pid)
{
	uid_t own = geteuid();

	if (pid <= 0)
		return "its process can not be seen from here";
	if (uid == own || (own == 0 && admission->admits_all))
		return NULL;
	if (own != 0)
		return "it belongs to another user";
	if (!descends_from(pid, admission->target))
		return "it belongs to another user, and does not descend from the program, or has "
		       "ended "
		       "('--peers all' takes it in)";
	return NULL;
}
