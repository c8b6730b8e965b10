/* SPDX-License-Identifier: MIT */
/*
 * The inline functions of ctp_probe.h as ordinary functions of the same names, for languages that cannot include it.
 *
 * In this file each name already belongs to the inline function. So the ordinary function has another name, and the
 * assembler defines the symbol. If the compiler were told the symbol, it might use the symbol for the inline function,
 * too, and make the function call itself.
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
