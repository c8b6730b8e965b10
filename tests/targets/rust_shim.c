/* SPDX-License-Identifier: MIT */
/*
 * The functions of the probe that a program in Rust can call; all others are inline.
 */
#include "corotracer/ctp_probe.h"
#include "corotracer/ctp_probe_cold.h"
#include "engine_beat.h"

bool shim_attach(void);
uint64_t shim_begin(void);
void shim_wait(uint64_t coro);
void shim_wait_for_engine(void);

bool shim_attach(void)
{
	return ctp_attach();
}

uint64_t shim_begin(void)
{
	uint64_t coro = ctp_coro_new();

	ctp_create(coro, 0, CTP_SITE("start"));
	ctp_resume(coro, CTP_POINT_INITIAL);
	return coro;
}

__attribute__((noinline)) void shim_wait(uint64_t coro)
{
	ctp_suspend(coro, CTP_HANDLE(CTP_RESOURCE_LOCK, 0x40),
		ctp_site_address(__builtin_return_address(0), CTP_SITE_ADDRESS), CTP_POINT_AWAIT);
	__asm__ volatile("");
}

void shim_wait_for_engine(void)
{
	wait_for_engine();
}
