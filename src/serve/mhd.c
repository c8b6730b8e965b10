/* SPDX-License-Identifier: MIT */
/* The table of the library that all servers share. */
#include "serve/mhd.h"

struct mhd mhd = LOADED_INITIALLY(MHD_CALLS);
static const struct loaded mhd_library =
	LOADED(mhd, MHD_CALLS, CT_LIBMICROHTTPD, "libmicrohttpd12");

enum ct_status serve_load(struct ct_error *reterr)
{
	return loaded_open(&mhd_library, "cannot serve", reterr);
}
