/* SPDX-License-Identifier: MIT */
/* For builds without libcurl: an error that says so. */
#include "objects/http.h"

enum ct_status http_open(struct http **ret_http, struct ct_error *reterr)
{
	(void)ret_http;
	return ct_fail(reterr, CT_ERR_UNSUPPORTED,
		"cannot reach a store over HTTP: this build is without libcurl (install "
		"libcurl4-openssl-dev and build with -Dobjects=enabled); a folder needs none");
}

void http_close(struct http *http)
{
	(void)http;
}

enum ct_status http_perform(struct http *http, const struct http_request *request,
	struct http_answer *ret_answer, struct ct_error *reterr)
{
	(void)http, (void)request, (void)ret_answer;
	return ct_fail(reterr, CT_ERR_UNSUPPORTED, "this build is without libcurl");
}
