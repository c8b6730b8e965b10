/* SPDX-License-Identifier: MIT */
/*
 * For builds that are linked with all libraries: tables are filled in from the start.
 */
#include "base/loaded.h"

enum ct_status loaded_open(
	const struct loaded *library, const char *failure, struct ct_error *reterr)
{
	(void)library, (void)failure, (void)reterr;
	return CT_OK;
}
