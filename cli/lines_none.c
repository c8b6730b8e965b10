/* SPDX-License-Identifier: MIT */
/*
 * For builds without libedit: no statement is kept.
 */
#include "shell.h"

void lines_begin(void)
{
}

char *lines_read(const char *prompt)
{
	return lines_read_plain(prompt);
}

void lines_keep(const char *statement)
{
	(void)statement;
}

void lines_end(void)
{
}
