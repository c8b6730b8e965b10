/* SPDX-License-Identifier: MIT */
#include <corotracer/ctp_probe.h>

int main(void)
{
	uint64_t coro;

	ctp_attach();
	coro = ctp_coro_new();
	ctp_create(coro, 0, CTP_SITE("made"));
	ctp_resume(coro, CTP_POINT_INITIAL);
	ctp_suspend(coro, 0, CTP_SITE("waits"), CTP_POINT_AWAIT);
	return 0;
}
