/* SPDX-License-Identifier: MIT */
/*
 * The page that is a single file, for a server that may end meanwhile (ct_page_write is for everybody else).
 */
#ifndef SERVE_SINGLE_H
#define SERVE_SINGLE_H

#include <stdatomic.h>

#include "corotracer/ct.h"

/* serve_page_write: like ct_page_write; fails with CT_ERR_STOPPED as soon as *is_stopped is true. NULL: never. */
enum ct_status serve_page_write(struct ct_trace *trace, const char *name, const char *path,
	const atomic_bool *is_stopped, struct ct_error *reterr);

#endif
