/* SPDX-License-Identifier: MIT */
/*
 * Paragraphs of our own words, wrapped.
 */
#include <stdio.h>
#include <string.h>

#include "wrap.h"

#define WIDTH 80

static void begin_line(unsigned margin)
{
	printf("\n%*s", (int)margin, "");
}

void print_wrapped(const char *words, unsigned at, unsigned margin)
{
	size_t column = at, length;

	while (*words) {
		if (*words == '\n') {
			putchar('\n');
			begin_line(margin);
			column = margin;
			words += strspn(words, "\n");
			continue;
		}
		length = strcspn(words, " \n");
		if (column > margin && column + 1 + length > WIDTH) {
			begin_line(margin);
			column = margin;
		} else if (column > margin) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)length, words);
		column += length;
		words += length;
		words += strspn(words, " ");
	}
	putchar('\n');
}
