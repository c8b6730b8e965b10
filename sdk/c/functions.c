/* SPDX-License-Identifier: MIT */
/*
 * The inline calls of ctp_probe.h as ordinary functions of the same names, for languages that cannot include it.
 *
 * In this file a name already belongs to the inline one, so the function has another, and the assembler sets the symbol
 * of that name to it. A compiler that is told the symbol itself may take it for the inline function's, too, and have
 * the function call itself.
 */
#include "corotracer/ctp_probe.h"

#define X(type, name, parameters, arguments)                                             \
	__attribute__((visibility("hidden"), used)) type ctp_function_##name parameters; \
	type ctp_function_##name parameters                                              \
	{                                                                                \
		return ctp_##name arguments;                                             \
	}                                                                                \
	__asm__(".globl ctp_" #name "\n\t.type ctp_" #name ", @function\n\t"             \
		".set ctp_" #name ", ctp_function_" #name);
#include "corotracer/def/functions.def"
#undef X
