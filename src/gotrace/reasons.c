/* SPDX-License-Identifier: MIT */
#include "corotracer/ctp.h"
#include "event/go_words.h"
#include "gotrace/reasons.h"

static uint8_t resource_of(const char *reason)
{
	static const struct {
		enum go_word reason;
		uint8_t resource;
	} resources[] = {
		{GO_WORD_CHAN_RECEIVE, CTP_RESOURCE_CHANNEL},
		{GO_WORD_CHAN_SEND, CTP_RESOURCE_CHANNEL},
		{GO_WORD_SELECT, CTP_RESOURCE_CHANNEL},
		{GO_WORD_SLEEP, CTP_RESOURCE_TIMER},
		{GO_WORD_SYNC, CTP_RESOURCE_SEMAPHORE},
		{GO_WORD_CONDITION, CTP_RESOURCE_CONDITION},
		{GO_WORD_NETWORK, CTP_RESOURCE_NETWORK},
	};
	size_t i;

	for (i = 0; i < sizeof(resources) / sizeof(*resources); i++) {
		if (go_words_is(reason, resources[i].reason))
			return resources[i].resource;
	}
	return CTP_RESOURCE_NONE;
}

struct gotrace_reason gotrace_reason_read(const char *text)
{
	return (struct gotrace_reason){.is_known = true,
		.is_sync = go_words_is(text, GO_WORD_SYNC),
		.is_of_runtime =
			go_words_is(text, GO_WORD_SYSTEM) || go_words_is(text, GO_WORD_SWEEPER),
		.resource = resource_of(text)};
}

uint64_t gotrace_reason_object(struct gotrace_reason reason, unsigned resource, uint64_t coro)
{
	/*
	 * Go has one word for everything built on its semaphores; the stack shows which it is. The garbage collector
	 * uses the same word where a goroutine has to assist it.
	 */
	if (reason.is_sync && (resource == CTP_RESOURCE_LOCK || resource == CTP_RESOURCE_EVENT ||
				      resource == CTP_RESOURCE_CONDITION))
		return CTP_HANDLE(resource, 0);
	if (reason.resource == CTP_RESOURCE_TIMER)
		return CTP_HANDLE(CTP_RESOURCE_TIMER, coro);
	return reason.resource ? CTP_HANDLE(reason.resource, 0) : 0;
}
