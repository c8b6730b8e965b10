/* SPDX-License-Identifier: MIT */
/*
 * What an epoll instance of a process waits for: can only the process itself make that ready? The kernel tells the
 * other end of a pipe by its inode, and that of a socket pair to whoever asks it by netlink.
 */
#ifndef KERNEL_INSIDE_H
#define KERNEL_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#define INSIDE_MOST 256u /* armed descriptors, and others that their other ends may be among */

/*
 * inside_is_poll_own: true where each armed entry is an eventfd, a timerfd that is not set, a pipe or a socket of which
 * the process has the other end, too. False where anything is not known, or there are more than INSIDE_MOST. Another
 * process that has the same descriptors, by birth or because they were sent to it, is not looked for. `folder` is of
 * procfs_open.
 */
bool inside_is_poll_own(int folder, int32_t epoll);

#endif
