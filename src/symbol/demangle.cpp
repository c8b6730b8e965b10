// SPDX-License-Identifier: MIT
//
// C++'s own demangler, for C, in builds without libiberty. Must never throw: its callers have no way to catch.
#include <cxxabi.h>

#include "demangle.h"

extern "C" char *demangle(const char *mangled)
{
	int status = 0;

	return abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
}

extern "C" char *demangle_rust(const char *)
{
	return nullptr;
}
