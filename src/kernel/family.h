/* SPDX-License-Identifier: MIT */
/*
 * The processes that a target has started, and those started by them: for signals that mean all of them, and for how
 * each of them ended, which only its parent is told.
 */
#ifndef KERNEL_FAMILY_H
#define KERNEL_FAMILY_H

#include <stdbool.h>
#include <sys/types.h>

#include "corotracer/event.h"

/*
 * family_signal: sends the signal to the process, and to those of its descendants that are in its process group, as a
 * key in the terminal would. A process that has left the group (a daemon, a job of an interactive shell) gets none, and
 * only the process itself does where the kernel does not list children. False, and errno: that one could not be sent
 * it.
 */
bool family_signal(pid_t pid, int signal_number);

/*
 * family_ending: how a process that is nobody's child here has ended: from /proc while its parent has not
 * waited for it, and by its pidfd after that (Linux 6.15). False: that cannot be told.
 */
bool family_ending(pid_t pid, int pidfd, enum ct_ending *ret_ending, int *ret_value);

#endif
