/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "corotracer/ctp.h"
#include "gotrace/reasons.h"

static uint8_t resource_of(const char *reason)
{
	static const struct {
		const char *reason;
		uint8_t resource;
	} resources[] = {
		{"chan receive", CTP_RESOURCE_CHANNEL},
		{"chan send", CTP_RESOURCE_CHANNEL},
		{"select", CTP_RESOURCE_CHANNEL},
		{"sleep", CTP_RESOURCE_TIMER},
		{"sync", CTP_RESOURCE_SEMAPHORE},
		{"sync.(*Cond).Wait", CTP_RESOURCE_CONDITION},
		{"network", CTP_RESOURCE_NETWORK},
	};
	size_t i;

	for (i = 0; i < sizeof(resources) / sizeof(*resources); i++) {
		if (strcmp(reason, resources[i].reason) == 0)
			return resources[i].resource;
	}
	return CTP_RESOURCE_NONE;
}

struct gotrace_reason gotrace_reason_read(const char *text)
{
	return (struct gotrace_reason){.is_known = true,
		.is_sync = strcmp(text, "sync") == 0,
		.is_of_runtime = strcmp(text, "system goroutine wait") == 0 ||
				 strcmp(text, "GC background sweeper wait") == 0,
		.resource = resource_of(text)};
}

uint64_t gotrace_reason_object(struct gotrace_reason reason, unsigned resource, uint64_t coro)
{
	/*
	 * Go has one word for all that is made of its semaphores: the stack says what it is. The collector waits by
	 * one, too, wherever a goroutine has to assist it.
	 */
	if (reason.is_sync && (resource == CTP_RESOURCE_LOCK || resource == CTP_RESOURCE_EVENT ||
				      resource == CTP_RESOURCE_CONDITION))
		return CTP_HANDLE(resource, 0);
	if (reason.resource == CTP_RESOURCE_TIMER)
		return CTP_HANDLE(CTP_RESOURCE_TIMER, coro);
	return reason.resource ? CTP_HANDLE(reason.resource, 0) : 0;
}
