/* SPDX-License-Identifier: MIT */
/* The version of corotracer, as numbers only, so that any file can include this header. */
#ifndef COROTRACER_VERSION_H
#define COROTRACER_VERSION_H

#define CT_VERSION_MAJOR 0
#define CT_VERSION_MINOR 1
#define CT_VERSION_PATCH 0
#define CT_VERSION_TEXT "0.1.0"

#endif
