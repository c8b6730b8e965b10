/* SPDX-License-Identifier: MIT */
/* The trace into which an engine records a process at present. */
#ifndef SESSION_RECORDING_H
#define SESSION_RECORDING_H

#include "kernel/procfs.h"

/*
 * recording_find: finds a path by which the file can be read. *ret_has_probe: the recording has the coroutines of the
 * process, and not only the descriptor ledger. False: nobody records the process, or the engine keeps the recording in
 * memory, or may not be looked into.
 */
bool recording_find(pid_t pid, struct procfs_path *ret_path, bool *ret_has_probe);

#endif
