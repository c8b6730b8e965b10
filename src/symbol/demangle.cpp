// SPDX-License-Identifier: MIT
//
// C++'s own demangler, for C, in builds without libiberty. Must never throw: its callers have no way to catch.
#include <cxxabi.h>

#include "symbol/demangle.h"

extern "C" char *symbol_demangle(const char *mangled)
{
	int status = 0;

	return abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
}

extern "C" char *symbol_demangle_rust(const char *)
{
	return nullptr;
}
