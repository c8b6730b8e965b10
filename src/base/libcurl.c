/* SPDX-License-Identifier: MIT */
#include "base/libcurl.h"

#define CONNECT_S 10L

struct libcurl libcurl = LOADED_INITIALLY(LIBCURL_CALLS);
static const struct loaded library =
	LOADED(libcurl, LIBCURL_CALLS, CT_LIBCURL, "corotracer-servers");

enum ct_status libcurl_open(const char *failure, struct ct_error *reterr)
{
	return loaded_open(&library, failure, reterr);
}

bool libcurl_prepare(CURL *easy, char *trouble)
{
	return libcurl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_USERAGENT, "corotracer") == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_ERRORBUFFER, trouble) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, CONNECT_S) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
}

const char *libcurl_trouble(const char *trouble, CURLcode result)
{
	return *trouble ? trouble : libcurl.easy_strerror(result);
}
