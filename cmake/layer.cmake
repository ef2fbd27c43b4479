# Every float operation rounds once, as written: no fused multiply-add unless the code says so. errno and floating-point traps are not
# used; without them float loops vectorize, with the same results. Designated initializers leave out what keeps its default. Where many sources are compiled as one, helpers of one file seem to shadow
# another's, and g++ takes all of the files for headers; the preset dev has these warnings. Programs are compiled like the library, whose
# precompiled headers they share.
add_library(octet_flags INTERFACE)
target_compile_options(octet_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wno-missing-field-initializers
                       -ffp-contract=off -fno-math-errno -fno-trapping-math $<$<BOOL:${OCTET_WERROR}>:-Werror>
                       $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-fPIC>
                       $<$<BOOL:${OCTET_BUILD_FUZZERS}>:-fsanitize=fuzzer-no-link>
                       $<$<BOOL:${OCTET_COMPILE_TOGETHER}>:-Wno-shadow>
                       $<$<AND:$<BOOL:${OCTET_COMPILE_TOGETHER}>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)

# octet_compile_together(target headers [more]): compiles many sources of a target as one, with what nearly all of them
# include parsed once, in the target `headers`, for all that are compiled alike: most of a build's time goes into headers.
# Off by default, so that a header somebody forgot to include is noticed.
function(octet_compile_together target headers)
  if(OCTET_COMPILE_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 64)
    if(target STREQUAL headers)
      target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <cstdint> <functional> <map> <memory> <optional> <set>
                                <span> <string> <string_view> <utility> <variant> <vector> <fmt/core.h> ${ARGN})
    else()
      target_precompile_headers(${target} REUSE_FROM ${headers})
    endif()
  endif()
endfunction()

# octet_light(target headers): a target whose loops nobody waits for.
set(OCTET_LIGHT_OPTIMIZATION "" CACHE STRING "How far to optimize what writes and describes, and tests, where not as far as what computes: -O1")
function(octet_light target headers)
  target_compile_options(${target} PRIVATE ${OCTET_LIGHT_OPTIMIZATION})
  octet_compile_together(${target} ${headers} ${ARGN})
endfunction()

# The whole library under one name: octet::octet.
add_library(octet_octet INTERFACE)
add_library(octet::octet ALIAS octet_octet)
set_target_properties(octet_octet PROPERTIES EXPORT_NAME octet)
install(TARGETS octet_octet EXPORT octet)

# octet_layer(name light uses...): the sources of octet/<name> as the library octet_<name>, whether it is light, and the libraries
# it may use.
function(octet_layer layer light)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/octet/${layer}/*.cc)
  add_library(octet_${layer} STATIC ${sources})
  target_include_directories(octet_${layer} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                             $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(octet_${layer} PUBLIC cxx_std_20)
  target_link_libraries(octet_${layer} PUBLIC ${ARGN})
  target_link_libraries(octet_${layer} PRIVATE $<BUILD_INTERFACE:octet_flags>)
  if(light)
    octet_light(octet_${layer} octet_text)
  else()
    octet_compile_together(octet_${layer} octet_base)
  endif()
  set_target_properties(octet_${layer} PROPERTIES EXPORT_NAME ${layer})
  target_link_libraries(octet_octet INTERFACE octet_${layer})
  install(TARGETS octet_${layer} EXPORT octet)
endfunction()

# The names in octet/layers.txt. What stands in headers of a layer that are not installed reaches its users while building.
set(octet_library_threads PUBLIC Threads::Threads)
set(octet_library_fmt PRIVATE fmt::fmt)
set(octet_library_zip PRIVATE PkgConfig::libzip)
set(octet_library_json PUBLIC $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
set(octet_library_protobuf PRIVATE protobuf::libprotobuf-lite)
set(octet_library_hwy PRIVATE PkgConfig::libhwy)
set(octet_library_re2 PRIVATE PkgConfig::re2)
set(octet_library_jpeg PRIVATE PkgConfig::libjpeg)
set(octet_library_png PRIVATE PkgConfig::libpng)
set(octet_library_cli PRIVATE CLI11::CLI11)

# octet_layers(file): a library for each layer that the file names; for the command line, octet_cli_uses. What a layer
# needs besides stands in octet/<layer>/*.cmake.
function(octet_layers file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} lines REGEX "^[a-z]")
  foreach(line ${lines})
    string(REPLACE "|" ";" columns "${line}")
    list(TRANSFORM columns STRIP)
    list(GET columns 0 layer)
    string(REGEX MATCH " \\*$" light "${layer}")
    string(REGEX REPLACE " \\*$" "" layer "${layer}")
    list(GET columns 1 uses)
    list(GET columns 2 libraries)
    separate_arguments(uses)
    separate_arguments(libraries)
    list(TRANSFORM uses PREPEND octet_)
    foreach(library ${libraries})
      list(APPEND uses ${octet_library_${library}})
    endforeach()
    if(layer STREQUAL "cli")
      list(REMOVE_ITEM uses PUBLIC PRIVATE)
      set(octet_cli_uses ${uses} PARENT_SCOPE)
    else()
      octet_layer(${layer} "${light}" ${uses})
      file(GLOB extras CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/octet/${layer}/*.cmake)
      foreach(extra ${extras})
        include(${extra})
      endforeach()
    endif()
  endforeach()
endfunction()
