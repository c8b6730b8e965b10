/* SPDX-License-Identifier: MIT */
/*
 * "reading FILE, 3 s": a sign of life for work that takes longer than a second, on standard error, and
 * only where that is a terminal.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

/* progress_begin: `what` stays the caller's, unchanged until progress_end. */
void progress_begin(const char *what, const char *path);

/* progress_end: wipes the line where one was shown. May be called twice. */
void progress_end(void);

#endif
