/* SPDX-License-Identifier: MIT */
/*
 * The adapter for Asio without Boost: coroutines of awaitable, their places, what each waits for, and which coroutine
 * woke it.
 *
 *	#include "corotracer/asio.h" // before the first header of the library, in every source
 *
 * docs/adapters.md says what is recorded, and what cannot be. Every source of a program that includes the library must
 * include this header first: 'g++ -include corotracer/asio.h' does that without changing a source. A source that does
 * not include it has different classes of the same names.
 */
#ifndef COROTRACER_ASIO_H
#define COROTRACER_ASIO_H

#ifndef ASIO_CUSTOM_HANDLER_TRACKING
#ifdef ASIO_DETAIL_HANDLER_TRACKING_HPP
#error "corotracer/asio.h comes before the first header of the library"
#endif
#define ASIO_CUSTOM_HANDLER_TRACKING "corotracer/asio_tracking.h"
#endif

#include <utility> /* some versions of the library use std::exchange without including this */

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/use_awaitable.hpp>

#ifndef ASIO_HAS_CO_AWAIT
#error "corotracer/asio.h: the library has no awaitable; it needs -std=c++20, and so do the adapter and the probe"
#endif

#include "corotracer/asio_operation.h"
#include "corotracer/attach_before_main.h"

#define COROTRACER_ASIO ::asio
#define COROTRACER_ASIO_PROMISES asio_promises
#include "corotracer/asio_awaitable.h"
#undef COROTRACER_ASIO
#undef COROTRACER_ASIO_PROMISES

#endif
