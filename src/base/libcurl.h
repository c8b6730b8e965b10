/* SPDX-License-Identifier: MIT */
/*
 * libcurl, for all that sends requests over HTTP: opened when a command needs it (base/loaded.h). libcurl.url() is
 * curl_url(). Only code that is built with libcurl may include this.
 */
#ifndef BASE_LIBCURL_H
#define BASE_LIBCURL_H

#include <curl/curl.h>
#include <stdbool.h>

#include "base/loaded.h"

/* clang-format off */
#define LIBCURL_CALLS(USE) \
	USE(curl_, easy_cleanup) USE(curl_, easy_getinfo) USE(curl_, easy_init) \
	USE(curl_, easy_perform) USE(curl_, easy_reset) USE(curl_, easy_setopt) \
	USE(curl_, easy_strerror) USE(curl_, free) USE(curl_, multi_add_handle) \
	USE(curl_, multi_cleanup) USE(curl_, multi_info_read) USE(curl_, multi_init) \
	USE(curl_, multi_perform) USE(curl_, multi_poll) USE(curl_, multi_remove_handle) \
	USE(curl_, slist_append) USE(curl_, slist_free_all) USE(curl_, url) \
	USE(curl_, url_cleanup) USE(curl_, url_dup) USE(curl_, url_get) USE(curl_, url_set)
/* clang-format on */

LOADED_TABLE(libcurl, LIBCURL_CALLS);
extern struct libcurl libcurl;

/* libcurl_open: does what loaded_open does, for this library. */
enum ct_status libcurl_open(const char *failure, struct ct_error *reterr);

/*
 * libcurl_prepare: sets what all requests have in common: HTTP and HTTPS only, 10 seconds for a connection, no signals,
 * and CURL_ERROR_SIZE bytes at `trouble`, which are lent until the request has ended, for the reason of a failure.
 * Returns false if out of memory.
 */
bool libcurl_prepare(CURL *easy, char *trouble);

/* libcurl_trouble: returns the reason of a failure: what is at `trouble`, or else the library's words for the code. */
const char *libcurl_trouble(const char *trouble, CURLcode result);

#endif
