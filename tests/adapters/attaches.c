/* SPDX-License-Identifier: MIT */
/*
 * A program that includes an adapter's header, and prints whether it is attached: at the beginning of main; after
 * attaching a second time; in a forked child; and after the child has attached.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "corotracer/stackful.h"

int main(void)
{
	int status = 0;
	pid_t child;

	printf("main:%d\nagain:", ctp_is_attached());
	printf("%d\n", ctp_attach());
	fflush(stdout);
	child = fork();
	if (child == 0) {
		printf("child:%d\nattached-child:", ctp_is_attached());
		printf("%d\n", ctp_attach());
		fflush(stdout);
		_exit(0);
	}
	return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}
