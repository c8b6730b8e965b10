/* SPDX-License-Identifier: MIT */
/*
 * Where libpq is missing: a sentence that says how to get it.
 */
#include "base/failure.h"
#include "export/export.h"

enum ct_status export_postgresql(struct ct_view *view, struct ct_source *source,
	const struct export_server *options, struct ct_error *reterr)
{
	(void)view, (void)source, (void)options;
	return ct_fail(reterr, CT_ERR_UNSUPPORTED,
		"cannot load into PostgreSQL: this build is without libpq (install libpq-dev and "
		"build with -Dpostgresql=enabled)");
}
