/* SPDX-License-Identifier: MIT */
/*
 * For builds without SQLite: an error that says how to get it.
 */
#include "export/export.h"
#include "base/failure.h"

static enum ct_status refuse(const char *path, struct ct_error *reterr)
{
	return ct_fail(reterr, CT_ERR_UNSUPPORTED,
		"cannot write '%s': this build is without SQLite (install libsqlite3-dev and "
		"build with "
		"-Dsqlite=enabled)",
		path);
}

enum ct_status export_sqlite(const struct export_job *job, struct ct_error *reterr)
{
	return refuse(job->path, reterr);
}

enum ct_status export_older_sqlite(const struct export_job *job, struct ct_error *reterr)
{
	return refuse(job->path, reterr);
}
