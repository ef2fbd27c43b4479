# The classes that protoc makes of onnx.proto: part of octet_onnx, seen by its sources and its tests only.
set(OCTET_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${OCTET_GENERATED_DIR})
protobuf_generate(TARGET octet_onnx LANGUAGE cpp PROTOS ${PROJECT_SOURCE_DIR}/octet/onnx/onnx.proto
                  IMPORT_DIRS ${PROJECT_SOURCE_DIR} PROTOC_OUT_DIR ${OCTET_GENERATED_DIR} OUT_VAR generated)
set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS -w)

add_library(octet_format INTERFACE)
target_include_directories(octet_format SYSTEM INTERFACE ${OCTET_GENERATED_DIR})
target_link_libraries(octet_onnx PRIVATE $<BUILD_INTERFACE:octet_format>)
# g++ 12 sees overlapping copies in std::string where there are none (GCC bug 105651).
target_compile_options(octet_format INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
