/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder inside a program, which keeps the latest events in a bounded file, with no engine.
 *
 * `corotracer recover FILE` makes a trace of the file, after the program has crashed or was killed, or while it runs.
 * In C++ use corotracer::InitTracer(corotracer::flight(...)).
 */
#ifndef COROTRACER_CTP_FLIGHT_H
#define COROTRACER_CTP_FLIGHT_H

/* These come before the probe's header, whose functions use them if they are inline. */
#define CTP_FLIGHT_BYTES ((size_t)16 << 20)
#define CTP_FLIGHT_BYTES_LEAST ((size_t)1 << 20)

#include "corotracer/ctp_probe.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ctp_record_flight: attaches as ctp_attach does; if there is no engine, the latest events are kept in the file `path`
 * from now on, in at most `bytes` (0: CTP_FLIGHT_BYTES; less than CTP_FLIGHT_BYTES_LEAST is refused). In `path`, %p
 * stands for the process id and %% for %. NULL: the segment is a memfd, which ends with the process. If the variable
 * COROTRACER_FLIGHT=PATH[,BYTES] is set, it replaces both arguments.
 *
 * The file is new, and has mode 0600. A file of the same name is replaced only if it is a segment, belongs to our user,
 * and is of a process that has ended. Otherwise, or if the file cannot be made in full size, the program runs untraced,
 * and the function returns false. The function never prints or ends the program, and keeps errno. The file is never
 * deleted.
 */
CTP_COLD bool ctp_record_flight(const char *path, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
