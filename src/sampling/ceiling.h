/* SPDX-License-Identifier: MIT */
/* A ceiling on what is used in any hour, of bytes or of processor time: what was used is kept by the minute. */
#ifndef SAMPLING_CEILING_H
#define SAMPLING_CEILING_H

#include <stdint.h>

#define CEILING_MINUTES 60

struct ceiling {
	uint64_t most; /* in an hour; 0: no ceiling */
	uint64_t used[CEILING_MINUTES];
	uint64_t minute; /* of the last use */
};

/* ceiling_use: notes that so much was used now. */
void ceiling_use(struct ceiling *ceiling, uint64_t now_ns, uint64_t used);

/* ceiling_left: returns how much may be used now. UINT64_MAX: there is no ceiling. */
uint64_t ceiling_left(struct ceiling *ceiling, uint64_t now_ns);

#endif
