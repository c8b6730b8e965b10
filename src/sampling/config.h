/* SPDX-License-Identifier: MIT */
/*
 * The configuration of an agent: a file of lines "NAME = VALUE" (config.def), with comments behind '#' at the beginning
 * of a line or after a blank.
 */
#ifndef SAMPLING_CONFIG_H
#define SAMPLING_CONFIG_H

#include "base/vec.h"
#include "corotracer/sampling.h"

/* A rule of `service`, or of `leave-out`, whose name is "". An address, whose pattern it is. */
struct config_rule {
	char *name;
	char *pattern;
};

struct config {
#define X(member, name, form, value, text) CONFIG_##form member;
#define CONFIG_TIME int64_t
#define CONFIG_SIZE uint64_t
#define CONFIG_NUMBER uint64_t
#define CONFIG_SHARE uint64_t
#define CONFIG_SWITCH bool
#define CONFIG_TEXT char *
#include "sampling/config.def"
#undef X
	VEC(struct config_rule)
	rules; /* of services, and of what is left out, in the order of the file */
	VEC(struct config_rule) addresses; /* of programs in Go */
};

/*
 * config_read: reads the file. CT_ERR_USAGE: a line is wrong; the sentence begins with the file's name and the line's
 * number. config_fini: frees what is in it.
 */
enum ct_status config_read(const char *path, struct config *ret_config, struct ct_error *reterr);
void config_fini(struct config *config);

/*
 * config_service: finds the name of a program's service by its command line; NULL: the program is not sampled. "": no
 * rule names it, so it is called as the program is.
 */
const char *config_service(const struct config *config, const char *command);

#endif
