/* SPDX-License-Identifier: MIT */
/*
 * The inline calls of ctp_probe.h as ordinary functions of the same names, for languages that cannot include it.
 *
 * In this file a name already belongs to the inline one, so the function has another, and its symbol by hand.
 */
#include "corotracer/ctp_probe.h"

#define X(type, name, parameters, arguments)                       \
	__attribute__((visibility("default")))                     \
	type ctp_function_##name parameters __asm__("ctp_" #name); \
	type ctp_function_##name parameters                        \
	{                                                          \
		return ctp_##name arguments;                       \
	}
#include "corotracer/def/functions.def"
#undef X
