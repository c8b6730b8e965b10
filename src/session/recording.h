/* SPDX-License-Identifier: MIT */
/*
 * The trace into which an engine records a process at present that has no probe, but the descriptor ledger.
 */
#ifndef SESSION_RECORDING_H
#define SESSION_RECORDING_H

#include "kernel/procfs.h"

/*
 * recording_find: finds a path by which the file can be read. False: nobody records the process, who does keeps the
 * recording in memory or may not be looked into, or the process has a probe.
 */
bool recording_find(pid_t pid, struct procfs_path *ret_path);

#endif
