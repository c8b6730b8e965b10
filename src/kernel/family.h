/* SPDX-License-Identifier: MIT */
/*
 * The processes that a target has started, directly or indirectly: for signals to all of them, and for how each of them
 * ended, which the kernel reports only to its parent.
 */
#ifndef KERNEL_FAMILY_H
#define KERNEL_FAMILY_H

#include <stdbool.h>
#include <sys/types.h>

#include "corotracer/event.h"

/*
 * family_signal: sends the signal to the process and to those of its descendants that are in its process group, as a
 * key in the terminal would. A process that has left the group (a daemon, a job of an interactive shell) does not get
 * it. If the kernel does not list children, only the process itself gets it. False, and errno: the signal could not be
 * sent to the process itself.
 */
bool family_signal(pid_t pid, int signal_number);

/*
 * family_ending: how a process that is not our child has ended: from /proc until its parent has waited for it, and by
 * its pidfd after that (Linux 6.15). False: unknown.
 */
bool family_ending(pid_t pid, int pidfd, enum ct_ending *ret_ending, int *ret_value);

#endif
