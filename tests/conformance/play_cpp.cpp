/* SPDX-License-Identifier: MIT */
/* The player of the C++ probe, which consists only of headers. */
#include "coroTracer.h"
#include "play.h"
