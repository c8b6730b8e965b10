# SPDX-License-Identifier: MIT
# The probes for C and C++. The program that records and reports is installed otherwise (docs/packages.md).
vcpkg_download_distfile(archive
  URLS "@ADDRESS@"
  FILENAME "corotracer-@VERSION@-source.tar.gz"
  SHA512 @SHA512@)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${archive}")

vcpkg_configure_meson(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -Dengine=disabled)
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(PACKAGE_NAME corotracer-cpp CONFIG_PATH lib/cmake/corotracer-cpp DO_NOT_DELETE_PARENT_CONFIG_PATH)
vcpkg_cmake_config_fixup(PACKAGE_NAME corotracer CONFIG_PATH lib/cmake/corotracer)

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
