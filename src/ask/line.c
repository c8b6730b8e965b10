/* SPDX-License-Identifier: MIT */
/*
 * Requests as one line.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ask/ask.h"
#include "base/failure.h"

static int digit(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* Unescapes in place: "%3D" becomes "=", and "+" a blank. Anything that is no escape stays as it is. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '%' && digit(text[1]) >= 0 && digit(text[2]) >= 0 &&
			(text[1] != '0' || text[2] != '0')) {
			*to++ = (char)(digit(text[1]) * 16 + digit(text[2]));
			text += 2;
		} else {
			*to++ = *text == '+' ? ' ' : *text;
		}
	}
	*to = '\0';
}

static void read_argument(char *text, struct ask_argument *argument)
{
	char *value = strchr(text, '=');

	if (value)
		*value++ = '\0';
	unescape(text);
	if (value)
		unescape(value);
	argument->key = text;
	argument->value = value ? value : "";
}

enum ct_status ask_line(struct ct_view *view, const char *line, struct ask_answer *ret_answer,
	struct ct_error *reterr)
{
	struct ask_argument arguments[ASK_ARGUMENTS_MAX + 1];
	struct ask_request request = {.arguments = arguments};
	char *copy = strdup(line), *rest, *one;
	enum ct_status status;

	if (!copy)
		return ct_fail_memory(reterr);
	rest = copy;
	request.name = strsep(&rest, "?");
	while ((one = strsep(&rest, "&")) && request.nr_arguments <= ASK_ARGUMENTS_MAX)
		if (*one)
			read_argument(one, &arguments[request.nr_arguments++]);
	status = ask_view(view, &request, ret_answer, reterr);
	free(copy);
	return status;
}
