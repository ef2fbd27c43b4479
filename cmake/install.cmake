# `cmake --install` and find_package(octet). Headers that only the library's own sources use stay behind.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/octet)

install(DIRECTORY octet ${PROJECT_BINARY_DIR}/include/octet TYPE INCLUDE FILES_MATCHING PATTERN "*.h"
        PATTERN "fail.h" EXCLUDE PATTERN "check.h" EXCLUDE PATTERN "support" EXCLUDE PATTERN "engine/fast" EXCLUDE PATTERN "octet/text" EXCLUDE PATTERN "verification_json.h" EXCLUDE)
install(EXPORT octet NAMESPACE octet:: FILE octetTargets.cmake DESTINATION ${package})
write_basic_package_version_file(octetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/octetConfig.cmake ${PROJECT_BINARY_DIR}/octetConfigVersion.cmake DESTINATION ${package})
