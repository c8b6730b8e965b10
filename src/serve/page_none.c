/* SPDX-License-Identifier: MIT */
/*
 * For builds without a reader to put into a page (-Dpage=disabled).
 */
#include "base/failure.h"
#include "corotracer/ct.h"
#include "serve/single.h"

enum ct_status serve_page_write(struct ct_trace *trace, const char *name, const char *path,
	const atomic_bool *is_stopped, struct ct_error *reterr)
{
	(void)trace, (void)name, (void)path, (void)is_stopped;
	return ct_fail(reterr, CT_ERR_UNSUPPORTED,
		"this corotracer was built without pages that are one file: they need clang with "
		"its library for WebAssembly, lld, llvm, wasi-libc and zlib "
		"(./dev build -Dpage=enabled installs them, and builds the pages)");
}

enum ct_status ct_page_write(
	struct ct_trace *trace, const char *name, const char *path, struct ct_error *reterr)
{
	return serve_page_write(trace, name, path, NULL, reterr);
}
