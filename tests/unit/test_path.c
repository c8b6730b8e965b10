/* SPDX-License-Identifier: MIT */
/*
 * Names of files: parts without effect are removed, and a name is tidy if that changes nothing.
 */
#include <stdio.h>

#include "base/path.h"
#include "check.h"

static void expect(const char *path, const char *tidy)
{
	char copy[64];

	snprintf(copy, sizeof(copy), "%s", path);
	path_tidy(copy);
	CHECK_TEXT(copy, tidy);
	CHECK_EQUAL(path_is_tidy(path), strcmp(path, tidy) == 0);
}

int main(void)
{
	static const char *const rows[][2] = {
		{"a", "a"},
		{"a/b", "a/b"},
		{"/a/b", "/a/b"},
		{"../a", "../a"},
		{"../../a", "../../a"},
		{"a/", "a"},
		{"a//b", "a/b"},
		{"//a", "/a"},
		{".", ""},
		{"./a", "a"},
		{"a/.", "a"},
		{"a/./b", "a/b"},
		{"a/../b", "b"},
		{"a/..", ""},
		{"../a/..", ".."},
		{"..", ".."},
		{".a/..b", ".a/..b"},
		{"/", "/"},
		{"", ""},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(rows[i][0], rows[i][1]);
	return 0;
}
