/* SPDX-License-Identifier: MIT */
/* What is given to semaphores and channels, and taken from them. */
#ifndef ANALYZE_TAKINGS_H
#define ANALYZE_TAKINGS_H

#include <stdbool.h>

struct analysis;
struct model_object;

/* analyze_takings_are_told: are takings of objects of this kind recorded, or were some of this one? */
bool analyze_takings_are_told(const struct analysis *analysis, const struct model_object *object);

/*
 * analyze_takings_left_something: was more given to the object than taken, so that the rest is there for the next one?
 * False if the program does not record takings, because then everything may have been taken. A program that records
 * takings of the other kind counts as one that records these, too, as long as no wait for such an object has ended.
 */
bool analyze_takings_left_something(
	const struct analysis *analysis, const struct model_object *object);

#endif
