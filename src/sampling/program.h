/* SPDX-License-Identifier: MIT */
/* A program that is sampled, and its thread. */
#ifndef SAMPLING_PROGRAM_H
#define SAMPLING_PROGRAM_H

#include "sampling/sampling.h"

/* program_open: starts the thread. program_end: asks it to end. program_close: ends it, and frees the program. */
enum ct_status program_open(struct ct_sampling *sampling, const struct ct_sampled *sampled,
	struct program **ret_program, struct ct_error *reterr);
void program_end(struct program *program);
void program_close(struct program *program);

#endif
