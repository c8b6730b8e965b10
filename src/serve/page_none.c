/* SPDX-License-Identifier: MIT */
/*
 * For builds without a reader to put into a page (-Dpage=disabled).
 */
#include "base/failure.h"
#include "corotracer/ct.h"

enum ct_status ct_page_write(
	struct ct_trace *trace, const char *name, const char *path, struct ct_error *reterr)
{
	(void)trace, (void)name, (void)path;
	return ct_fail(reterr, CT_ERR_UNSUPPORTED,
		"this corotracer was built without pages that are one file: they need clang with "
		"its library for WebAssembly, lld, llvm, wasi-libc and zlib "
		"(./dev build -Dpage=enabled installs them, and builds the pages)");
}
