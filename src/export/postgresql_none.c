/* SPDX-License-Identifier: MIT */
/*
 * For builds without libpq: an error that says how to get it.
 */
#include "base/failure.h"
#include "export/export.h"

static enum ct_status refuse(struct ct_error *reterr)
{
	return ct_fail(reterr, CT_ERR_UNSUPPORTED,
		"cannot load into PostgreSQL: this build is without libpq (install libpq-dev and "
		"build with -Dpostgresql=enabled)");
}

enum ct_status export_postgresql(const struct export_job *job, struct ct_error *reterr)
{
	(void)job;
	return refuse(reterr);
}

enum ct_status export_older_postgresql(const struct export_job *job, struct ct_error *reterr)
{
	(void)job;
	return refuse(reterr);
}
