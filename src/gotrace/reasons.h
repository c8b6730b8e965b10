/* SPDX-License-Identifier: MIT */
/*
 * Translates Go's words for why a goroutine waits into the kind of resource that it waits for.
 */
#ifndef GOTRACE_REASONS_H
#define GOTRACE_REASONS_H

#include <stdbool.h>
#include <stdint.h>

struct gotrace_reason {
	bool is_known; /* false in a zeroed struct: no word was read */
	bool is_sync;
	/* a goroutine that waits like this serves the program as long as the program runs */
	bool is_of_runtime;
	uint8_t resource; /* enum ctp_resource */
};

/* gotrace_reason_read: translates one word. A word that is not Go's gives no resource. */
struct gotrace_reason gotrace_reason_read(const char *text);

/*
 * gotrace_reason_object: the handle of the object that a coroutine waits for. Go does not record which object it is;
 * only a timer is known, as the coroutine's own. `resource` is the kind that the stack shows (enum ctp_resource), 0:
 * none.
 */
uint64_t gotrace_reason_object(struct gotrace_reason reason, unsigned resource, uint64_t coro);

#endif
