# Highway compiles each of these sources several times over, by including it again.
file(GLOB again CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/fast/simd/*.cc)
set_source_files_properties(${again} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
# With sanitizers without the widest vectors, which few machines have: the same loops once more.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  set_source_files_properties(${again} PROPERTIES COMPILE_DEFINITIONS "OCTET_LEFT_OUT_TARGETS=(HWY_AVX3|HWY_AVX3_DL)")
endif()
# Checks for undefined behaviour make minutes of what takes seconds to compile, in loops that are vectors from end to end.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*undefined")
  set_source_files_properties(${again} PROPERTIES COMPILE_OPTIONS -fno-sanitize=undefined)
endif()
