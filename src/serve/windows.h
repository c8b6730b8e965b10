/* SPDX-License-Identifier: MIT */
/* The servers of windows that the server of a fleet has started. */
#ifndef SERVE_WINDOWS_H
#define SERVE_WINDOWS_H

struct serve_windows;

/* serve_windows_new: NULL: no memory. serve_windows_free: closes them all; NULL is allowed. */
struct serve_windows *serve_windows_new(void);
void serve_windows_free(struct serve_windows *windows);

#endif
