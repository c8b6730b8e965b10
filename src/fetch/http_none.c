/* SPDX-License-Identifier: MIT */
/*
 * For builds without libcurl: an error that says so.
 */
#include "base/failure.h"
#include "fetch/fetch.h"

enum ct_status ct_fetch(const struct ct_fetch_options *options, struct ct_fetched *ret_fetched,
	struct ct_error *reterr)
{
	(void)options, (void)ret_fetched;
	return ct_fail(reterr, CT_ERR_UNSUPPORTED,
		"cannot fetch over HTTP: this build is without libcurl (install "
		"libcurl4-openssl-dev and build with -Dfetch=enabled); 'curl -o FILE ADDRESS' "
		"writes a file that every command reads");
}
