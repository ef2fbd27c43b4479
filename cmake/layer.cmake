# Every float operation rounds once, as written: no fused multiply-add unless the code says so. Designated
# initializers leave out what keeps its default.
add_library(octet_flags INTERFACE)
target_compile_options(octet_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wno-missing-field-initializers
                       -ffp-contract=off $<$<BOOL:${OCTET_WERROR}>:-Werror>
                       $<$<BOOL:${OCTET_BUILD_FUZZERS}>:-fsanitize=fuzzer-no-link>)

# What nearly every source includes, parsed once per target: it halves the time of a build. Off by default, so that a
# header somebody forgot to include is noticed.
function(octet_precompile target)
  if(OCTET_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <cstdint> <functional> <map> <memory> <optional>
                              <set> <span> <string> <string_view> <utility> <variant> <vector> <fmt/core.h> ${ARGN})
  endif()
endfunction()

# The whole library under one name: octet::octet.
add_library(octet_octet INTERFACE)
add_library(octet::octet ALIAS octet_octet)
set_target_properties(octet_octet PROPERTIES EXPORT_NAME octet)
install(TARGETS octet_octet EXPORT octet)

# octet_layer(name uses...): the sources of octet/<name> as the library octet_<name>, and the libraries it may use.
function(octet_layer layer)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/octet/${layer}/*.cc)
  add_library(octet_${layer} STATIC ${sources})
  target_include_directories(octet_${layer} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                             $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(octet_${layer} PUBLIC cxx_std_20)
  target_link_libraries(octet_${layer} PUBLIC ${ARGN})
  target_link_libraries(octet_${layer} PRIVATE $<BUILD_INTERFACE:octet_flags>)
  octet_precompile(octet_${layer})
  set_target_properties(octet_${layer} PROPERTIES EXPORT_NAME ${layer})
  target_link_libraries(octet_octet INTERFACE octet_${layer})
  install(TARGETS octet_${layer} EXPORT octet)
endfunction()
