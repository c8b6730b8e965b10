/* SPDX-License-Identifier: MIT */
/*
 * A library with a probe of its own, like a plug-in that was linked with the static probe: only one function is
 * visible. Tests load it, unload it, and load it again.
 */
#include "corotracer/ctp_probe_cold.h"

__attribute__((visibility("default"))) bool write_letter_of_copy(char letter);

/* write_letter_of_copy: attaches by itself, and writes three counter events; false: no events are wanted. */
bool write_letter_of_copy(char letter)
{
	bool is_wanted = ctp_attach();
	unsigned i;

	for (i = 0; i < 3; i++)
		ctp_emit(0, (unsigned char)letter, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0));
	return is_wanted;
}
