/* SPDX-License-Identifier: MIT */
/*
 * Attaches before main: a part of every adapter, so that including an adapter is enough.
 *
 * A function that runs before the initialisers of the program's and the library's objects calls ctp_attach
 * (ctp_probe.h) once for each source; every call after the first finds the program attached. If no engine asks, the
 * call does what a call in main would do: memory waits for 'corotracer attach', which COROTRACER_ATTACH=0 refuses, and
 * no event is written. A program may still call corotracer::InitTracer() or ctp_attach(). A program must do so if it
 * forks itself into the background, because a forked child is not traced before it attaches; or if it wants the flight
 * recorder.
 */
#ifndef COROTRACER_ATTACH_BEFORE_MAIN_H
#define COROTRACER_ATTACH_BEFORE_MAIN_H

#include "corotracer/ctp_probe.h"

/* Priorities up to 100 are reserved for the implementation; constructors without a number come last. */
__attribute__((constructor(101))) static void ctp_attach_before_main(void)
{
	ctp_attach();
}

#endif
