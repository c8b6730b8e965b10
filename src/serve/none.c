/* SPDX-License-Identifier: MIT */
/*
 * For builds without libmicrohttpd: an error that says so.
 */
#include "base/failure.h"
#include "corotracer/serve.h"

static enum ct_status refuse(struct ct_error *reterr)
{
	return ct_fail(reterr, CT_ERR_UNSUPPORTED,
		"this corotracer was built without its server: it needs libmicrohttpd (./dev "
		"setup)");
}

enum ct_status ct_serve_open(const struct ct_serve_options *options, struct ct_serve **ret_serve,
	struct ct_error *reterr)
{
	(void)options, (void)ret_serve;
	return refuse(reterr);
}

enum ct_status ct_serve_check(const char *listen, struct ct_error *reterr)
{
	(void)listen;
	return refuse(reterr);
}

const char *ct_serve_url(const struct ct_serve *serve)
{
	(void)serve;
	return "";
}

bool ct_serve_has_moved(const struct ct_serve *serve)
{
	(void)serve;
	return false;
}

bool ct_serve_is_open_to_others(const struct ct_serve *serve)
{
	(void)serve;
	return false;
}

enum ct_status ct_page_write(
	struct ct_trace *trace, const char *name, const char *path, struct ct_error *reterr)
{
	(void)trace, (void)name, (void)path;
	return refuse(reterr);
}

void ct_serve_let_go(struct ct_serve *serve)
{
	(void)serve;
}

enum ct_status ct_serve_turn_to(struct ct_serve *serve, const char *path, struct ct_error *reterr)
{
	(void)serve, (void)path;
	return refuse(reterr);
}

void ct_serve_close(struct ct_serve *serve)
{
	(void)serve;
}
