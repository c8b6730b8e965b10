/* SPDX-License-Identifier: MIT */
/*
 * For builds without json-c: an error that says so.
 */
#include <stdio.h>

#include "mcp/server.h"

enum ct_status mcp_serve(const struct mcp_options *options, struct ct_error *reterr)
{
	(void)options;
	*reterr = (struct ct_error){.status = CT_ERR_UNSUPPORTED, .offset = CT_NO_OFFSET};
	snprintf(reterr->text, sizeof(reterr->text),
		"this corotracer was built without the Model Context Protocol: it needs json-c "
		"(./dev setup)");
	return CT_ERR_UNSUPPORTED;
}
