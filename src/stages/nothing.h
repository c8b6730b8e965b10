/* SPDX-License-Identifier: MIT */
/*
 * Where a recording goes whose caller wants the target's fate and the counts only.
 */
#ifndef STAGES_NOTHING_H
#define STAGES_NOTHING_H

#include "stream/stream.h"

/* nothing_sink: the one there is. Closing it changes nothing. */
struct ct_sink *nothing_sink(void);

#endif
