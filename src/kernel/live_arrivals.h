/* SPDX-License-Identifier: MIT */
/* A part of live_look: what has arrived at descriptors, their other ends, and who watches and polls them. */
#ifndef KERNEL_LIVE_ARRIVALS_H
#define KERNEL_LIVE_ARRIVALS_H

#include "kernel/live.h"

/* live_arrivals_look: fills in these fields; `folder` comes from procfs_open. False: out of memory. */
bool live_arrivals_look(struct live *live, int folder);

#endif
