/* SPDX-License-Identifier: MIT */
/* A flight recorder's file made by hand. */
#ifndef TESTS_MADE_FLIGHT_H
#define TESTS_MADE_FLIGHT_H

#include <stdio.h>

#define MADE_CHUNKS 4u /* a reader copies the whole file */

#include "made_segment.h"

#define MADE_ABOUT_BYTES 4096u

/* A valid file of two threads; the words about its process stand behind the rings. */
static inline void made_flight(struct made_segment *made)
{
	struct ctp_header *header = made->header;
	uint32_t i;

	header->features_compatible = CTP_FEATURE_FLIGHT;
	made->orders->policy = CTP_POLICY_OVERWRITE_OLDEST;
	header->clock = CTP_CLOCK_COUNTER;
	header->clock_counter = header->clock_monotonic_ns = 1000;
	header->about_offset = header->name_offset + MADE_NAME_BYTES - MADE_ABOUT_BYTES;
	header->about_bytes = MADE_ABOUT_BYTES;
	header->name_bytes = MADE_NAME_BYTES - MADE_ABOUT_BYTES;
	snprintf(made->base + header->about_offset, MADE_ABOUT_BYTES,
		"program /bin/sound\ncommand sound\nhost here\nboot never\n"
		"code 1000 2000 0 abcdef /bin/sound\ncode 3000 4000 10 - /lib/sound.so\n");
	header->instants[1] = (struct ctp_instant){5000, 6000, 7000};
	header->instants_taken = 1;
	header->sites_used = 3;
	made->sites[1] = (struct ctp_site){CTP_SITE_SOURCE, 7, 1, 8, 8, 0, 0};
	made->sites[2] = (struct ctp_site){CTP_SITE_ADDRESS, 0, 0, 0, 0, 0, 0x1234};
	made_name(made, 8, "sound.c");
	for (i = 0; i < 2; i++)
		made_claim(made, i, 100 + i);
	for (i = 0; i < 50; i++)
		made_emit(made, i % 2, i, i % 3, CTP_KIND_COUNTER, 0);
	made->rings[1].floor = 3;
}

#endif
