# Highway compiles each of these sources several times over, by including it again.
file(GLOB again CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/fast/simd/*.cc)
set_source_files_properties(${again} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
