/* SPDX-License-Identifier: MIT */
/* Traces that are read from elsewhere, by the address in place of a file's name. */
#ifndef LIB_ADDRESS_H
#define LIB_ADDRESS_H

#include "base/input.h"

/*
 * lib_address_open: does what input_open does, also for an address (s3://BUCKET/KEY, https://HOST/PATH), whose bytes
 * lie in a file without a name until the input is closed. The input's name has nothing of what follows '?'.
 */
enum ct_status lib_address_open(
	const char *path, struct input **ret_input, struct ct_error *reterr);

#endif
