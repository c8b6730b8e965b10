/* SPDX-License-Identifier: MIT */
/* What is needed of the XML that stores answer with: the texts of elements that have no elements in them. */
#ifndef OBJECTS_XML_H
#define OBJECTS_XML_H

#include <stdbool.h>
#include <stddef.h>

/*
 * xml_take: copies the text of the next element of this name, with its entities as characters, into `nr_bytes` at
 * `buffer`, NUL-terminated; *at moves behind the element. False: there is none, or it does not fit.
 * xml_find: does the same from the beginning of `body` on.
 */
bool xml_take(const char **at, const char *name, char *buffer, size_t nr_bytes);
bool xml_find(const char *body, const char *name, char *buffer, size_t nr_bytes);

/* xml_percent: decodes "%2F" and the like in place, as keys are listed with encoding-type=url. */
void xml_percent(char *text);

#endif
