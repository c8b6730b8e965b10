/* SPDX-License-Identifier: MIT */
/* In a build without Capstone or elfutils, no memory is looked at. */
#include "base/failure.h"
#include "frames/frames.h"
#include "frames/rings.h"

static const char why[] = "this build cannot look for coroutines in memory: that takes Capstone "
			  "and elfutils (-Dframes)";

bool image_is_core(const void *first_bytes, size_t nr_bytes)
{
	(void)first_bytes, (void)nr_bytes;
	return false;
}

enum ct_status image_open_process(pid_t pid, struct image **ret_image, struct ct_error *reterr)
{
	(void)pid, (void)ret_image;
	return ct_fail(reterr, CT_ERR_UNSUPPORTED, "%s", why);
}

enum ct_status image_open_core(
	struct input *input, const char *program, struct image **ret_image, struct ct_error *reterr)
{
	(void)program, (void)ret_image;
	input_close(input);
	return ct_fail(reterr, CT_ERR_UNSUPPORTED, "%s", why);
}

enum ct_status rings_take(
	const struct image *image, struct rings *ret_rings, struct ct_error *reterr)
{
	(void)image, (void)ret_rings;
	return ct_fail(reterr, CT_ERR_UNSUPPORTED, "%s", why);
}

void image_close(struct image *image)
{
	(void)image;
}

enum ct_status frames_see(
	struct image *image, const struct frames_seeing *seeing, struct ct_error *reterr)
{
	(void)image, (void)seeing;
	return ct_fail(reterr, CT_ERR_UNSUPPORTED, "%s", why);
}

enum ct_status frames_source_open(struct image *image, const struct frames_again *again,
	const struct frames_past *past, struct ct_source **ret_source, struct ct_error *reterr)
{
	(void)image, (void)again, (void)past, (void)ret_source;
	return ct_fail(reterr, CT_ERR_UNSUPPORTED, "%s", why);
}
