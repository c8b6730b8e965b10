/* SPDX-License-Identifier: MIT */
/*
 * The SQL cookbook as JSON. Private to src/ask.
 */
#ifndef ASK_COOKBOOK_H
#define ASK_COOKBOOK_H

#include "base/text.h"

/* ask_cookbook_tell: appends the answer to `cookbook`: questions, and tables with their columns. */
void ask_cookbook_tell(struct text *text);

#endif
