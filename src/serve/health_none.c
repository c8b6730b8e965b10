/* SPDX-License-Identifier: MIT */
/* For builds without libmicrohttpd: an error that says so. */
#include "serve/health.h"

enum ct_status serve_health_open(const struct serve_health_options *options,
	struct serve_health **ret_health, struct ct_error *reterr)
{
	(void)options, (void)ret_health;
	return ct_fail(reterr, CT_ERR_UNSUPPORTED,
		"nothing can be served: this corotracer was built without libmicrohttpd (listen = "
		"none)");
}

const char *serve_health_url(const struct serve_health *health)
{
	(void)health;
	return "";
}

void serve_health_close(struct serve_health *health)
{
	(void)health;
}
