/* SPDX-License-Identifier: MIT */
/*
 * Lines as the terminal delivers them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

char *lines_read_plain(const char *prompt)
{
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;

	fputs(prompt, stdout);
	fflush(stdout);
	length = getline(&line, &capacity, stdin);
	/* A signal shows as an error of the stream; a part of a line may have been read before. */
	if (length < 0 || ferror(stdin)) {
		clearerr(stdin);
		free(line);
		putchar('\n');
		return NULL;
	}
	line[strcspn(line, "\n")] = '\0';
	return line;
}
