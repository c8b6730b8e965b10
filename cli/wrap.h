/* SPDX-License-Identifier: MIT */
/*
 * Paragraphs of our own words, wrapped: for help on a terminal.
 */
#ifndef CLI_WRAP_H
#define CLI_WRAP_H

/*
 * print_wrapped: words on standard output, from column `at`, each further line at column `margin`, within
 * 80 columns; ends the line. An empty line in the text begins a paragraph.
 */
void print_wrapped(const char *words, unsigned at, unsigned margin);

#endif
