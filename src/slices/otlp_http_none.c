/* SPDX-License-Identifier: MIT */
/*
 * For builds without libcurl: an error that says how to get it.
 */
#include "base/failure.h"
#include "slices/otlp.h"

enum ct_status slices_otlp_open(
	const char *address, struct otlp_sender **ret_sender, struct ct_error *reterr)
{
	(void)address, (void)ret_sender;
	return ct_fail(reterr, CT_ERR_UNSUPPORTED,
		"cannot send to a collector: this build is without libcurl (install "
		"libcurl4-openssl-dev and build with -Dotlp=enabled)");
}

enum ct_status slices_otlp_post(
	struct otlp_sender *sender, const struct text *request, struct ct_error *reterr)
{
	(void)sender, (void)request;
	return ct_fail(reterr, CT_ERR_UNSUPPORTED, "this build is without libcurl");
}

void slices_otlp_close(struct otlp_sender *sender)
{
	(void)sender;
}
