/* SPDX-License-Identifier: MIT */
/*
 * CT_VERSION_PROTOCOL, CT_VERSION_FILE, ...: the versions of what others rely on, each of which counts for itself
 * (docs/versions.md). The version of corotracer itself is in version.h.
 */
#ifndef COROTRACER_VERSIONS_H
#define COROTRACER_VERSIONS_H

/* The table uses this macro: a caller's own is saved here and restored after the table. */
#pragma push_macro("VERSION")
#undef VERSION

enum ct_version_of {
#define VERSION(NAME, number, oldest, what) CT_VERSION_##NAME = number,
#include "corotracer/def/versions.def"
};

#pragma pop_macro("VERSION")

#endif
