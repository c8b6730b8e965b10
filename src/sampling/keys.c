/* SPDX-License-Identifier: MIT */
/* Names are made so that no character in a key has to be encoded anywhere. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sampling/keys.h"

#define NR_PARTS 4
#define NS_PER_S UINT64_C(1000000000)
#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

void keys_name(const char *text, char ret_name[KEYS_NAME_BYTES])
{
	size_t i;

	for (i = 0; text[i] && i + 1 < KEYS_NAME_BYTES; i++)
		ret_name[i] = strchr(PLAIN, text[i]) ? text[i] : '_';
	ret_name[i] = '\0';
	if (strspn(ret_name, ".") == i)
		memcpy(ret_name, "unnamed", sizeof("unnamed"));
}

void keys_make(const char *service, const char *host, int64_t pid, uint64_t realtime_ns,
	char ret_key[KEYS_BYTES])
{
	time_t seconds = (time_t)(realtime_ns / NS_PER_S);
	struct tm parts;
	char moment[32];

	gmtime_r(&seconds, &parts);
	strftime(moment, sizeof(moment), "%Y%m%d/%H%M%S", &parts);
	snprintf(ret_key, KEYS_BYTES, "%s/%s/%s-%lld-%06u" KEYS_END, service, host, moment,
		(long long)pid, (unsigned)(realtime_ns % NS_PER_S / 1000));
}

void keys_flat(const char *key, char ret_name[KEYS_BYTES])
{
	size_t i;

	for (i = 0; key[i] && i + 1 < KEYS_BYTES; i++)
		ret_name[i] = key[i] == '/' ? ',' : key[i];
	ret_name[i] = '\0';
}

bool keys_deep(const char *name, char ret_key[KEYS_BYTES])
{
	size_t length = strlen(name), end = strlen(KEYS_END), i, nr_parts = 1;

	if (length <= end || length >= KEYS_BYTES || strcmp(name + length - end, KEYS_END) != 0 ||
		strspn(name, PLAIN ",") != length || *name == '.' || *name == ',')
		return false;
	for (i = 0; i <= length; i++) {
		ret_key[i] = name[i] == ',' ? '/' : name[i];
		nr_parts += name[i] == ',';
	}
	return nr_parts == NR_PARTS;
}

/* The part with the day begins behind the second separator. */
static const char *moment_of(const char *name)
{
	const char *at = strchr(name, ',');

	at = at ? strchr(at + 1, ',') : NULL;
	return at ? at : name;
}

int keys_moment(const char *left, const char *right)
{
	int order = strcmp(moment_of(left), moment_of(right));

	return order ? order : strcmp(left, right);
}
