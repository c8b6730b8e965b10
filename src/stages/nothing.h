/* SPDX-License-Identifier: MIT */
/* The sink of a recording whose caller wants only the target's fate and the counts. */
#ifndef STAGES_NOTHING_H
#define STAGES_NOTHING_H

#include "stream/stream.h"

/* nothing_sink: returns the only sink of this kind. Closing it does nothing. */
struct ct_sink *nothing_sink(void);

#endif
