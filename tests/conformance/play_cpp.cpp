/* SPDX-License-Identifier: MIT */
/* The player of the C++ probe, which holds all of it in its headers. */
#include "coroTracer.h"
#include "play.h"
