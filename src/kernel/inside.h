/* SPDX-License-Identifier: MIT */
/*
 * What does an epoll instance of a process wait for: can only the process itself make it ready? The kernel shows the
 * other end of a pipe by its inode, and answers by netlink which socket is the peer of another one.
 */
#ifndef KERNEL_INSIDE_H
#define KERNEL_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

/* armed descriptors, and descriptors among which their other ends are looked for */
#define INSIDE_MOST 256u

/*
 * inside_is_poll_own: true if each armed entry is an eventfd, a timerfd that is not armed, or a pipe or socket whose
 * other end the process has as well. False if anything is unknown, or there are more than INSIDE_MOST descriptors.
 * Another process that shares the descriptors, by inheritance or because they were sent to it, is not looked for.
 * `folder` comes from procfs_open.
 */
bool inside_is_poll_own(int folder, int32_t epoll);

#endif
