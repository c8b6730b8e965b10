/* SPDX-License-Identifier: MIT */
/*
 * For builds without MariaDB Connector/C: an error that says how to get it.
 */
#include "base/failure.h"
#include "export/export.h"

static enum ct_status refuse(struct ct_error *reterr)
{
	return ct_fail(reterr, CT_ERR_UNSUPPORTED,
		"cannot load into MySQL: this build is without MariaDB Connector/C (install "
		"libmariadb-dev and "
		"build with -Dmysql=enabled)");
}

enum ct_status export_mysql(const struct export_job *job, struct ct_error *reterr)
{
	(void)job;
	return refuse(reterr);
}

enum ct_status export_older_mysql(const struct export_job *job, struct ct_error *reterr)
{
	(void)job;
	return refuse(reterr);
}
