/* SPDX-License-Identifier: MIT */
/*
 * The windows of a fleet, for a screen: which there are in a folder or a bucket, and what the newest of each service
 * show. A window is a trace whose key is SERVICE/HOST/YYYYMMDD/HHMMSS-RUN.ctrace (docs/fleet.md).
 *
 * A thread lists the windows every half minute, and judges one after the other, so that each service has its newest
 * judged first. What is judged stays judged: a window does not change. Any thread may call any function here.
 */
#ifndef FLEET_FLEET_H
#define FLEET_FLEET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"
#include "base/json_write.h"

struct ct_thresholds;

#define FLEET_WINDOWS_MAX 200000u    /* listed windows; more are counted only */
#define FLEET_JUDGED_MAX 5000u       /* judged windows of all services */
#define FLEET_JUDGED_OF_SERVICE 100u /* the newest of each service */

struct fleet;

struct fleet_options {
	const char *place;                      /* as in ct_traces_list */
	const struct ct_thresholds *thresholds; /* must outlive the fleet; NULL: all defaults */
	uint64_t memory_bytes;                  /* as in ct_open_options */
};

/*
 * fleet_open: starts the thread. fleet_close: breaks off a transfer, waits for the judgement under way, and ends the
 * thread. NULL is allowed.
 */
enum ct_status fleet_open(
	const struct fleet_options *options, struct fleet **ret_fleet, struct ct_error *reterr);
void fleet_close(struct fleet *fleet);

/*
 * fleet_tell: writes one object: `place`, without what follows '?'; `nr_windows`, `nr_judged`, `nr_waiting` to be
 * judged, `nr_older` that are not judged; `nr_strange` traces without the key of a window and `nr_beyond` the limit;
 * `is_listed`: the windows were listed once; `trouble`: why the last listing failed, or null; and `services`, the one
 * with the gravest findings first, each with its judged `windows`, the oldest first (docs/spec/http-api.md).
 */
void fleet_tell(struct fleet *fleet, struct json *json);

/* fleet_has: is this the name of a listed window? */
bool fleet_has(struct fleet *fleet, const char *trace);

#endif
