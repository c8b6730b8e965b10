/* SPDX-License-Identifier: MIT */
/*
 * A target's descendants. Descendants appear and vanish during the search, so the result is only a snapshot.
 */
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/family.h"
#include "kernel/procfs.h"
#include "base/vec.h"

#define FAMILY_MOST 4096u

/* ---------------------------------------------------------------- signals */

struct family {
	VEC(pid_t) members;
};

static bool add_child(void *context, int child)
{
	struct family *family = context;

	return family->members.count < FAMILY_MOST && vec_push(&family->members, (pid_t)child);
}

/* The process comes first: a shell whose command dies before the shell gets the signal would start the next command. */
bool family_signal(pid_t pid, int signal_number)
{
	struct family family = {0};
	pid_t group = getpgid(pid);
	bool is_sent;
	size_t i;

	procfs_children(pid, add_child, &family);
	for (i = 0; i < family.members.count; i++)
		procfs_children(family.members.at[i], add_child, &family);
	is_sent = kill(pid, signal_number) == 0;
	for (i = 0; is_sent && i < family.members.count; i++)
		if (getpgid(family.members.at[i]) == group)
			kill(family.members.at[i], signal_number);
	vec_fini(&family.members);
	return is_sent;
}

/* ---------------------------------------------------------------- endings */

/* struct pidfd_info of linux/pidfd.h in its first version, because older headers lack it. */
struct pidfd_info_v0 {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t ids[11];
	int32_t exit_code;
};
#define GET_INFO _IOWR(0xff, 11, struct pidfd_info_v0)
#define INFO_EXIT (UINT64_C(1) << 3)

/* Works once its parent has waited for the process. */
static bool ask_pidfd(int pidfd, int *ret_status)
{
	struct pidfd_info_v0 info = {.mask = INFO_EXIT};

	if (pidfd < 0 || ioctl(pidfd, GET_INFO, &info) || !(info.mask & INFO_EXIT))
		return false;
	*ret_status = info.exit_code;
	return true;
}

/* Works until then. */
static bool ask_zombie(pid_t pid, int *ret_status)
{
	struct procfs_stat stat;

	if (!procfs_stat(pid, &stat) || stat.state != 'Z')
		return false;
	*ret_status = stat.exit_status;
	return true;
}

bool family_ending(pid_t pid, int pidfd, enum ct_ending *ret_ending, int *ret_value)
{
	int status;

	/* The parent may wait for the process between the two. */
	if (!ask_pidfd(pidfd, &status) && !ask_zombie(pid, &status) && !ask_pidfd(pidfd, &status))
		return false;
	*ret_ending = WIFSIGNALED(status) ? CT_ENDING_SIGNALED : CT_ENDING_EXITED;
	*ret_value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}
