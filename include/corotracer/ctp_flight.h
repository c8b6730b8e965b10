/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder inside a program: it keeps the latest events, in a bounded file, with no engine.
 *
 * `corotracer recover FILE` makes a trace of the file, after the program has crashed or was killed, or while it runs.
 * In C++ the same is corotracer::InitTracer(corotracer::flight(...)).
 */
#ifndef COROTRACER_CTP_FLIGHT_H
#define COROTRACER_CTP_FLIGHT_H

/* Before the probe, whose functions use them where they are inline. */
#define CTP_FLIGHT_BYTES ((size_t)16 << 20)
#define CTP_FLIGHT_BYTES_LEAST ((size_t)1 << 20)

#include "corotracer/ctp_probe.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ctp_record_flight: ctp_attach; and where no engine is there, events are kept in the file `path` from
 * now on, the latest ones, in at most `bytes` (0: CTP_FLIGHT_BYTES; less than CTP_FLIGHT_BYTES_LEAST is
 * refused). In `path`, %p stands for the process id and %% for %. NULL: the segment is a memfd, which
 * ends with the process. The variable COROTRACER_FLIGHT=PATH[,BYTES], where set, stands for both.
 *
 * The file is new, and has mode 0600. A file of that name is replaced only if it is a segment, ours, and of a process
 * that has ended; else, or where the file cannot be made in full size, the program runs untraced: false. Never prints
 * or ends the program; keeps errno. The file stays: nobody deletes it.
 */
CTP_COLD bool ctp_record_flight(const char *path, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
