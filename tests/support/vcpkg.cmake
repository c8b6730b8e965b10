# SPDX-License-Identifier: MIT
# Stand-ins for what vcpkg gives to a port, by which `cmake -P` runs the port's portfile: each does what vcpkg's
# documentation says of it, for one release build. VCPKG_ARGUMENTS: PORTFILE names the file; ROOT is where the package is
# installed.
get_filename_component(folder "${PORTFILE}" DIRECTORY)
file(READ "${folder}/vcpkg.json" manifest)
string(JSON PORT GET "${manifest}" name)
set(CURRENT_PACKAGES_DIR "${ROOT}")
set(work "${ROOT}-work")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_download_distfile result)
  cmake_parse_arguments(PARSE_ARGV 1 of "" "URLS;FILENAME;SHA512" "")
  file(DOWNLOAD "${of_URLS}" "${work}/${of_FILENAME}" EXPECTED_HASH "SHA512=${of_SHA512}")
  set(${result} "${work}/${of_FILENAME}" PARENT_SCOPE)
endfunction()

# The archive's one folder is the source.
function(vcpkg_extract_source_archive result)
  cmake_parse_arguments(PARSE_ARGV 1 of "" "ARCHIVE" "")
  file(ARCHIVE_EXTRACT INPUT "${of_ARCHIVE}" DESTINATION "${work}/source")
  file(GLOB found "${work}/source/*")
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

function(vcpkg_configure_meson)
  cmake_parse_arguments(PARSE_ARGV 0 of "" "SOURCE_PATH" "OPTIONS")
  run(meson setup "${work}/build" "${of_SOURCE_PATH}" ${of_OPTIONS} --prefix "${ROOT}" --libdir lib --buildtype release
    --default-library static)
endfunction()

function(vcpkg_install_meson)
  run(meson install -C "${work}/build")
endfunction()

function(vcpkg_fixup_pkgconfig)
  file(GLOB found "${ROOT}/lib/pkgconfig/*.pc")
  if(NOT found)
    message(FATAL_ERROR "no description for pkg-config was installed")
  endif()
endfunction()

# vcpkg moves a package's files to share/NAME, and mends the ways that lead from there to the prefix.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 of "DO_NOT_DELETE_PARENT_CONFIG_PATH" "PACKAGE_NAME;CONFIG_PATH" "")
  file(RENAME "${ROOT}/${of_CONFIG_PATH}" "${ROOT}/share/${of_PACKAGE_NAME}")
  file(GLOB found "${ROOT}/share/${of_PACKAGE_NAME}/*.cmake")
  foreach(path ${found})
    file(READ "${path}" text)
    string(REPLACE "\${CMAKE_CURRENT_LIST_DIR}/../../../" "\${CMAKE_CURRENT_LIST_DIR}/../../" text "${text}")
    file(WRITE "${path}" "${text}")
  endforeach()
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 of "" "" "FILE_LIST")
  file(INSTALL ${of_FILE_LIST} DESTINATION "${ROOT}/share/${PORT}")
endfunction()

file(MAKE_DIRECTORY "${ROOT}/share" "${work}")
include("${PORTFILE}")
