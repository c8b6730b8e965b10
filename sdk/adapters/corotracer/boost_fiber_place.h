/* SPDX-License-Identifier: MIT */
/*
 * Finds where a fiber calls the library: a part of corotracer/boost_fiber.h.
 *
 * The algorithm runs on the stack of the waiting fiber, below the library's functions. So the stack is walked: the
 * first call from outside of the library is the place, and the library's function that is called there is the reason.
 * That takes about a microsecond, and only while events are recorded. If the library is linked statically, its
 * functions cannot be recognised, and places are not recorded.
 */
#ifndef COROTRACER_BOOST_FIBER_PLACE_H
#define COROTRACER_BOOST_FIBER_PLACE_H

#include <cstdint>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <string_view>
#include <unwind.h>

#include <boost/fiber/context.hpp>

#include "coroTracer.h"

namespace corotracer::detail::fiber
{

/* The code of the library, or of the module that contains a function of the library. */
struct library {
	std::uintptr_t begin = 0, end = 0;

	bool has(std::uintptr_t address) const noexcept
	{
		return begin <= address && address < end;
	}
};

inline int find_library(struct dl_phdr_info *module, std::size_t, void *context)
{
	auto *found = static_cast<library *>(context);
	auto function = reinterpret_cast<std::uintptr_t>(&boost::fibers::context::active);

	for (int i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) &part = module->dlpi_phdr[i];
		library code = {module->dlpi_addr + part.p_vaddr,
			module->dlpi_addr + part.p_vaddr + part.p_memsz};

		/* The program itself has an empty name. */
		if (part.p_type == PT_LOAD && code.has(function) && module->dlpi_name[0] != '\0')
			*found = code;
	}
	return found->end != 0;
}

inline const library &the_library()
{
	static const library code = [] {
		library found;

		dl_iterate_phdr(find_library, &found);
		return found;
	}();
	return code;
}

/* The innermost call from outside of the library, below calls inside it. */
struct search {
	std::uintptr_t inside = 0, outside = 0;
	int nr_left = 32;
};

inline _Unwind_Reason_Code look(struct _Unwind_Context *frame, void *context)
{
	auto *search = static_cast<struct search *>(context);
	std::uintptr_t address = _Unwind_GetIP(frame);

	if (the_library().has(address))
		search->inside = address;
	else if (search->inside != 0)
		search->outside = address;
	return search->outside != 0 || --search->nr_left == 0 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* Converts "boost::fibers::mutex::lock()" to "mutex::lock". */
inline std::string function_name(std::uintptr_t address)
{
	constexpr std::string_view space = "boost::fibers::";
	Dl_info symbol;
	std::string name;
	char *text;

	if (dladdr(reinterpret_cast<void *>(address - 1), &symbol) == 0 || !symbol.dli_sname)
		return name;
	text = abi::__cxa_demangle(symbol.dli_sname, nullptr, nullptr, nullptr);
	if (text != nullptr)
		name = text;
	std::free(text);
	name = name.substr(0, name.find('('));
	return name.starts_with(space) ? name.substr(space.size()) : name;
}

COROTRACER_COLD inline std::uint32_t remember_call(const search &call)
{
	const void *outside = reinterpret_cast<const void *>(call.outside);
	std::string name = function_name(call.inside);
	struct ctp_site_source source = {};

	source.kind = CTP_SITE_READY(CTP_SITE_ADDRESS, CTP_FORM_CPP);
	source.address = call.outside;
	source.reason = name.c_str();
	return ctp_site_remember(
		outside, CTP_SITE_ADDRESS, reinterpret_cast<const void *>(call.inside), &source);
}

/* Returns the code of a function of the library; empty if the library is linked statically, or lacks the function. */
inline library code_of(const char *name)
{
	void *begin = dlsym(RTLD_DEFAULT, name), *symbol = nullptr;
	library found;
	Dl_info module;

	if (begin == nullptr || dladdr1(begin, &module, &symbol, RTLD_DL_SYMENT) == 0 ||
		symbol == nullptr)
		return found;
	found.begin = reinterpret_cast<std::uintptr_t>(begin);
	found.end = found.begin + static_cast<const ElfW(Sym) *>(symbol)->st_size;
	return found;
}

/* scheduler::yield, by which a fiber gives way */
inline const library &code_of_yield()
{
	static const library code = code_of("_ZN5boost6fibers9scheduler5yieldEPNS0_7contextE");

	return code;
}

/* Is this the lock() of a mutex? Which mutex it is, a scheduling algorithm is not told. */
inline bool is_lock(std::uintptr_t address)
{
	static const library locks[] = {code_of("_ZN5boost6fibers5mutex4lockEv"),
		code_of("_ZN5boost6fibers11timed_mutex4lockEv"),
		code_of("_ZN5boost6fibers15recursive_mutex4lockEv"),
		code_of("_ZN5boost6fibers21recursive_timed_mutex4lockEv")};

	for (const library &lock : locks)
		if (lock.has(address - 1))
			return true;
	return false;
}

/*
 * Returns the site of the call into the library; 0: none was found, as on the dispatcher's stack. `caller` is the
 * return address of the algorithm, which lies outside of the library if the library's functions have left the stack
 * already (tail calls). *ret_is_lock: is that a call of lock()?
 */
__attribute__((noinline)) inline std::uint32_t place_outside_library(
	const void *caller = nullptr, bool *ret_is_lock = nullptr)
{
	search call;
	std::uint32_t site;

	if (the_library().end == 0)
		return 0;
	if (caller != nullptr && !the_library().has(reinterpret_cast<std::uintptr_t>(caller)))
		return ctp_site_address(caller, CTP_SITE_ADDRESS);
	_Unwind_Backtrace(look, &call);
	if (call.outside == 0)
		return 0;
	if (ret_is_lock != nullptr)
		*ret_is_lock = is_lock(call.inside);
	site = ctp_site_lookup(reinterpret_cast<const void *>(call.outside), CTP_SITE_ADDRESS,
		reinterpret_cast<const void *>(call.inside));
	return site != 0 ? site : remember_call(call);
}

} /* namespace corotracer::detail::fiber */

#endif
