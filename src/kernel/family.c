/* SPDX-License-Identifier: MIT */
/*
 * A target's descendants. They come and go while they are looked at: what is found is a state of affairs of just now.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/family.h"
#include "kernel/procfs.h"
#include "base/vec.h"

#define FAMILY_MOST 4096u
#define CHILDREN_BYTES 65536

/* ---------------------------------------------------------------- signals */

struct family {
	VEC(pid_t) members;
	pid_t looked_at;
};

static bool add_children(void *context, int tid)
{
	struct family *family = context;
	char *text = malloc(CHILDREN_BYTES);
	char name[48];
	char *at = text, *end;

	if (!text)
		return false;
	snprintf(name, sizeof(name), "task/%d/children", tid);
	procfs_read(family->looked_at, name, text, CHILDREN_BYTES);
	while (family->members.count < FAMILY_MOST) {
		pid_t child = (pid_t)strtol(at, &end, 10);

		if (end == at || child <= 0 || !vec_push(&family->members, child))
			break;
		at = end;
	}
	free(text);
	return family->members.count < FAMILY_MOST;
}

/* The process comes first: a shell that sees its command die before it is told itself would start the next one. */
bool family_signal(pid_t pid, int signal_number)
{
	struct family family = {.looked_at = pid};
	pid_t group = getpgid(pid);
	bool is_sent;
	size_t i;

	procfs_numbers(pid, "task", add_children, &family);
	for (i = 0; i < family.members.count; i++) {
		family.looked_at = family.members.at[i];
		procfs_numbers(family.looked_at, "task", add_children, &family);
	}
	is_sent = kill(pid, signal_number) == 0;
	for (i = 0; is_sent && i < family.members.count; i++)
		if (getpgid(family.members.at[i]) == group)
			kill(family.members.at[i], signal_number);
	vec_fini(&family.members);
	return is_sent;
}

/* ---------------------------------------------------------------- ends */

/* struct pidfd_info of linux/pidfd.h, as it first was: older headers have none. */
struct pidfd_info_v0 {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t ids[11];
	int32_t exit_code;
};
#define GET_INFO _IOWR(0xff, 11, struct pidfd_info_v0)
#define INFO_EXIT (UINT64_C(1) << 3)

/* Once its parent has waited for it. */
static bool ask_pidfd(int pidfd, int *ret_status)
{
	struct pidfd_info_v0 info = {.mask = INFO_EXIT};

	if (pidfd < 0 || ioctl(pidfd, GET_INFO, &info) || !(info.mask & INFO_EXIT))
		return false;
	*ret_status = info.exit_code;
	return true;
}

/* Until then: the 52nd word of "stat", the 50th behind the name. */
static bool ask_zombie(pid_t pid, int *ret_status)
{
	char text[1024];
	const char *at;
	unsigned i;

	if (procfs_read(pid, "stat", text, sizeof(text)) == 0)
		return false;
	at = strrchr(text, ')');
	if (!at || strncmp(at, ") Z", 3) != 0)
		return false;
	for (i = 0; at && i < 50; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return false;
	*ret_status = (int)strtol(at, NULL, 10);
	return true;
}

bool family_ending(pid_t pid, int pidfd, enum ct_ending *ret_ending, int *ret_value)
{
	int status;

	/* It may be waited for between the two. */
	if (!ask_pidfd(pidfd, &status) && !ask_zombie(pid, &status) && !ask_pidfd(pidfd, &status))
		return false;
	*ret_ending = WIFSIGNALED(status) ? CT_ENDING_SIGNALED : CT_ENDING_EXITED;
	*ret_value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}
