/* SPDX-License-Identifier: MIT */
/*
 * For builds without ncurses: there are no screens.
 */
#include <langinfo.h>
#include <string.h>

#include "top/terminal.h"

enum ct_status top_terminal_open(bool use_colour, struct ct_error *reterr)
{
	(void)use_colour;
	*reterr = (struct ct_error){.status = CT_ERR_UNSUPPORTED};
	strncpy(reterr->text,
		"this program was built without its screens (ncurses); '--once' prints one frame "
		"as text",
		sizeof(reterr->text) - 1);
	return CT_ERR_UNSUPPORTED;
}

void top_terminal_close(void)
{
}

bool top_terminal_is_there(void)
{
	return false;
}

bool top_terminal_has_unicode(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

void top_terminal_size(uint32_t *ret_width, uint32_t *ret_height)
{
	*ret_width = *ret_height = 0;
}

void top_terminal_show(const struct top_frame *frame, bool is_all)
{
	(void)frame, (void)is_all;
}

enum top_input top_terminal_read(uint32_t *ret_key, uint32_t *ret_line)
{
	(void)ret_key, (void)ret_line;
	return TOP_INPUT_NONE;
}
