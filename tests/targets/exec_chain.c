/* SPDX-License-Identifier: MIT */
/*
 * One process, many programs: attaches, writes its NUMBER as a counter event, and executes itself with the next lower
 * number, down to 1.
 *
 *	exec_chain NUMBER
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "corotracer/ctp_probe.h"
#include "corotracer/ctp_probe_annotate.h"
#include "need.h"

int main(int argc, char **argv)
{
	unsigned long number = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	char next[24];

	NEED(number > 0 && ctp_attach());
	ctp_counter((int64_t)number, CTP_SITE("program"));
	if (number == 1)
		return 0;
	snprintf(next, sizeof(next), "%lu", number - 1);
	execl("/proc/self/exe", argv[0], next, (char *)NULL);
	return 1;
}
