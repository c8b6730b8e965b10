/* SPDX-License-Identifier: MIT */
/*
 * A record as a tracepoint of LTTng-UST: LTTng records the time, and the other words are fields. LTTng requires that
 * this file is included several times.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER corotracer

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./ctf_event.h"

#if !defined(BENCH_CTF_EVENT_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_CTF_EVENT_H

#include <stdint.h>

#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(
	corotracer, record,
	LTTNG_UST_TP_ARGS(uint64_t, coro, uint64_t, object, uint64_t, tail),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(uint64_t, coro, coro)
		lttng_ust_field_integer(uint64_t, object, object)
		lttng_ust_field_integer(uint32_t, site, (uint32_t)tail)
		lttng_ust_field_integer(uint8_t, kind, (uint8_t)(tail >> 32))
		lttng_ust_field_integer(uint8_t, argument, (uint8_t)(tail >> 40))
		lttng_ust_field_integer(uint16_t, flags, (uint16_t)(tail >> 48))))
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
