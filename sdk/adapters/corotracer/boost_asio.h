/* SPDX-License-Identifier: MIT */
/*
 * The adapter for Boost.Asio: coroutines of awaitable, their places, what each waits for, and which coroutine woke it.
 *
 *	#include "corotracer/boost_asio.h" // before the first header of the library, in every source
 *
 * docs/adapters.md says what is recorded, and what cannot be. Every source of a program that includes the library must
 * include this header first: 'g++ -include corotracer/boost_asio.h' does that without changing a source. A source that
 * does not include it has different classes of the same names.
 */
#ifndef COROTRACER_BOOST_ASIO_H
#define COROTRACER_BOOST_ASIO_H

#ifndef BOOST_ASIO_CUSTOM_HANDLER_TRACKING
#ifdef BOOST_ASIO_DETAIL_HANDLER_TRACKING_HPP
#error "corotracer/boost_asio.h comes before the first header of the library"
#endif
#define BOOST_ASIO_CUSTOM_HANDLER_TRACKING "corotracer/asio_tracking.h"
#endif

#include <utility> /* some versions of the library use std::exchange without including this */

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#ifndef BOOST_ASIO_HAS_CO_AWAIT
#error "corotracer/boost_asio.h: the library has no awaitable; it needs -std=c++20, and so do the adapter and the probe"
#endif

#include "corotracer/asio_operation.h"
#include "corotracer/attach_before_main.h"

#define COROTRACER_ASIO ::boost::asio
#define COROTRACER_ASIO_PROMISES boost_asio_promises
#include "corotracer/asio_awaitable.h"
#undef COROTRACER_ASIO
#undef COROTRACER_ASIO_PROMISES

#endif
