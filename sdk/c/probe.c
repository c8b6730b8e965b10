/* SPDX-License-Identifier: MIT */
/*
 * libcorotracer-probe: the probe's state and cold functions, once, for C programs. The inline functions that write
 * events are in ctp_probe.h. Nothing else may be added here, so that the library does what the header does in a C++
 * program.
 */
#pragma GCC visibility push(default)
#include "corotracer/ctp_flight.h"
#include "corotracer/ctp_probe.h"
#pragma GCC visibility pop

#include "corotracer/ctp_probe_cold.h"
