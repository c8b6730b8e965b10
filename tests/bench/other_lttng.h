/* SPDX-License-Identifier: MIT */
/*
 * The event of other_lttng.c, in the form that LTTng-UST requires: this file is included several times.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER corotracer_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./other_lttng.h"

#if !defined(BENCH_OTHER_LTTNG_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_OTHER_LTTNG_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(corotracer_bench, event,
	LTTNG_UST_TP_ARGS(uint64_t, coro, uint64_t, object, uint64_t, tail),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, coro, coro) lttng_ust_field_integer(
		uint64_t, object, object) lttng_ust_field_integer(uint64_t, tail, tail)))

#endif

#include <lttng/tracepoint-event.h>
