/* SPDX-License-Identifier: MIT */
/*
 * Go's words for why a goroutine waits, as what it waits for.
 */
#ifndef GOTRACE_REASONS_H
#define GOTRACE_REASONS_H

#include <stdbool.h>
#include <stdint.h>

struct gotrace_reason {
	bool is_known; /* false where it is zeroed: no word was looked at */
	bool is_sync;
	bool is_of_runtime; /* what waits so serves the program as long as it runs */
	uint8_t resource;   /* enum ctp_resource */
};

/* gotrace_reason_read: what a word says; one that is not Go's says nothing. */
struct gotrace_reason gotrace_reason_read(const char *text);

/*
 * gotrace_reason_object: the handle of what a coroutine waits for: which one is not told, but for its own timer.
 * `resource` is what the stack tells of it (enum ctp_resource), 0: nothing.
 */
uint64_t gotrace_reason_object(struct gotrace_reason reason, unsigned resource, uint64_t coro);

#endif
