/* SPDX-License-Identifier: MIT */
/*
 * An output that is a folder of files whose names are known beforehand. The files lie in "PATH.partial" beside it,
 * which is renamed when it is complete. Two writers of one folder do not disturb each other: the second writer is
 * refused.
 */
#ifndef BASE_FOLDER_H
#define BASE_FOLDER_H

#include "base/io.h"

struct folder {
	char *path;
	char *partial_path;
	const char *const *names; /* of all files that the folder may contain */
	size_t nr_names;
	int descriptor; /* of the folder; holds its lock */
};

/*
 * folder_open: makes the folder beside `path`, and removes what an earlier writer left there; the names are lent until
 * folder_end. CT_ERR_USAGE: the path is "-", something has this name already, or another process is writing the folder.
 * A failure leaves nothing.
 */
enum ct_status folder_open(struct folder *folder, const char *path, const char *const *names,
	size_t nr_names, struct ct_error *reterr);

/* folder_output: opens one of the folder's files, as io_output_open does. */
enum ct_status folder_output(const struct folder *folder, const char *name,
	struct io_output *output, struct ct_error *reterr);

/*
 * folder_end: gives the folder its name if writing succeeded, or removes it with the files of those names, and returns
 * the first failure.
 */
enum ct_status folder_end(struct folder *folder, enum ct_status written, struct ct_error *reterr);

#endif
