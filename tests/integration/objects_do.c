/* SPDX-License-Identifier: MIT */
/*
 * A store of objects by hand, for tests: objects_do PLACE put KEY FILE, get KEY FILE, remove KEY, list [PREFIX]. Ends
 * with the number of the status, positive; PART_BYTES is from what size on objects are sent in parts of that size.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "objects/objects.h"

static bool print(void *context, const struct object *object)
{
	(void)context;
	printf("%s %llu\n", object->key, (unsigned long long)object->nr_bytes);
	return true;
}

static enum ct_status act(struct objects *objects, char **words, struct ct_error *reterr)
{
	int descriptor = words[1] && words[2] ? open(words[2], O_RDWR | O_CREAT, 0600) : -1;
	enum ct_status status = CT_ERR_USAGE;

	if (strcmp(words[0], "put") == 0)
		status = objects_put(objects, words[1], descriptor, reterr);
	else if (strcmp(words[0], "get") == 0)
		status = objects_get(objects, words[1], descriptor, reterr);
	else if (strcmp(words[0], "remove") == 0)
		status = objects_remove(objects, words[1], reterr);
	else if (strcmp(words[0], "list") == 0)
		status = objects_list(objects, words[1] ? words[1] : "", "", print, NULL, reterr);
	if (descriptor >= 0)
		close(descriptor);
	return status;
}

int main(int argc, char **argv)
{
	const char *part = getenv("PART_BYTES");
	struct objects_options options = {.pause_ms = 10};
	struct ct_error error = {.text = "unknown"};
	struct objects *objects;
	enum ct_status status;

	if (argc < 3)
		return 2;
	options.whole_bytes = options.part_bytes = part ? strtoull(part, NULL, 10) : 0;
	status = objects_open(argv[1], &options, &objects, &error);
	if (status == CT_OK) {
		status = act(objects, argv + 2, &error);
		objects_close(objects);
	}
	if (status)
		fprintf(stderr, "%s\n", error.text);
	return -(int)status;
}
