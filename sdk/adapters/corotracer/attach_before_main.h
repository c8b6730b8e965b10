/* SPDX-License-Identifier: MIT */
/*
 * Attaches before main: a part of every adapter, so that including one is enough.
 *
 * A function that runs before any initialiser of the program's or library's own objects calls ctp_attach (ctp_probe.h)
 * once for each source; each call behind the first finds that it is done. Where no engine asks, that is what a call in
 * main would be: memory that waits for 'corotracer attach', which COROTRACER_ATTACH=0 refuses, and no event is written.
 * A program may still call corotracer::InitTracer() or ctp_attach(), and does so where it forks itself into the
 * background, since a forked child is not traced before it attaches anew; or asks for the flight recorder.
 */
#ifndef COROTRACER_ATTACH_BEFORE_MAIN_H
#define COROTRACER_ATTACH_BEFORE_MAIN_H

#include "corotracer/ctp_probe.h"

/* Priorities up to 100 are the implementation's own; those without a number come last. */
__attribute__((constructor(101))) static void ctp_attach_before_main(void)
{
	ctp_attach();
}

#endif
