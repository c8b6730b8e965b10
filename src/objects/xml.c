/* SPDX-License-Identifier: MIT */
/* Bytes of a server: nothing is read behind the NUL, and nothing written behind the buffer. */
#include <stdio.h>
#include <string.h>

#include "objects/xml.h"

#define NAME_BYTES 64

static const struct {
	const char *name;
	char character;
} entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''},
	{"&#34;", '"'}, {"&#39;", '\''}, {"&#x22;", '"'}, {"&#13;", '\r'}, {"&#10;", '\n'}};

/* Returns how many bytes the character at `at` takes. */
static size_t take_character(const char *at, char *ret_character)
{
	size_t i;

	for (i = 0; *at == '&' && i < sizeof(entities) / sizeof(entities[0]); i++) {
		if (strncmp(at, entities[i].name, strlen(entities[i].name)) != 0)
			continue;
		*ret_character = entities[i].character;
		return strlen(entities[i].name);
	}
	*ret_character = *at;
	return 1;
}

bool xml_take(const char **at, const char *name, char *buffer, size_t nr_bytes)
{
	char tag[NAME_BYTES];
	const char *begin, *end;
	size_t length = 0;

	snprintf(tag, sizeof(tag), "<%s>", name);
	begin = strstr(*at, tag);
	if (!begin)
		return false;
	begin += strlen(tag);
	end = strchr(begin, '<');
	if (!end)
		return false;
	*at = end;
	while (begin < end) {
		if (length + 1 >= nr_bytes)
			return false;
		begin += take_character(begin, &buffer[length++]);
	}
	buffer[length] = '\0';
	return true;
}

bool xml_find(const char *body, const char *name, char *buffer, size_t nr_bytes)
{
	return xml_take(&body, name, buffer, nr_bytes);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void xml_percent(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '%' && digit(text[1]) >= 0 && digit(text[2]) >= 0) {
			*to++ = (char)(digit(text[1]) << 4 | digit(text[2]));
			text += 2;
		} else {
			*to++ = *text == '+' ? ' ' : *text;
		}
	}
	*to = '\0';
}
