/* SPDX-License-Identifier: MIT */
/*
 * A program in C++ before C++20 that links the C probe's library. test_other_languages.py compiles the file with the
 * warnings that users enable.
 */
#include <corotracer/ctp_flight.h>
#include <corotracer/ctp_probe.h>

int main()
{
	if (!ctp_attach())
		return 3;
	const uint64_t coro = ctp_coro_new();
	const uint32_t site = CTP_SITE("reply");

	ctp_create(coro, 0x1000, site);
	ctp_resume(coro, CTP_POINT_INITIAL);
	ctp_suspend(
		coro, CTP_HANDLE(CTP_RESOURCE_CHANNEL, 0x2000), CTP_SITE("reply"), CTP_POINT_AWAIT);
	ctp_wake(0, coro, site, CTP_OUTCOME_QUEUED);
	ctp_resume(coro, CTP_POINT_AWAIT);
	ctp_log_text(coro, "a longer text", 13, site);
	ctp_return(coro);
	ctp_destroy(coro, CTP_LIFE_DONE);
	return 0;
}
