/* SPDX-License-Identifier: MIT */
/* Go's words for why goroutines wait, translated into the kinds of objects that they wait for. */
#include "check.h"
#include "corotracer/ctp.h"
#include "gotrace/reasons.h"

#define CORO 7u

static uint64_t object_of(const char *reason, unsigned resource)
{
	return gotrace_reason_object(gotrace_reason_read(reason), resource, CORO);
}

int main(void)
{
	CHECK_EQUAL(object_of("sync", CTP_RESOURCE_LOCK), CTP_HANDLE(CTP_RESOURCE_LOCK, 0));
	CHECK_EQUAL(object_of("sync", CTP_RESOURCE_EVENT), CTP_HANDLE(CTP_RESOURCE_EVENT, 0));
	CHECK_EQUAL(object_of("sync", 0), CTP_HANDLE(CTP_RESOURCE_SEMAPHORE, 0));
	/* A wait in time.Sleep to assist the collector: a sleep itself has a word of its own. */
	CHECK_EQUAL(object_of("sync", CTP_RESOURCE_TIMER), CTP_HANDLE(CTP_RESOURCE_SEMAPHORE, 0));
	CHECK_EQUAL(object_of("sleep", CTP_RESOURCE_TIMER), CTP_HANDLE(CTP_RESOURCE_TIMER, CORO));
	CHECK_EQUAL(object_of("GC assist wait", CTP_RESOURCE_CHANNEL), 0);
	return check_result();
}
