# The adapter to ONNX Runtime travels inside the library.
set(adapter ${PROJECT_SOURCE_DIR}/octet/verify/support/onnxruntime_judge.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${adapter})
file(READ ${adapter} OCTET_ONNXRUNTIME_JUDGE)
configure_file(${PROJECT_SOURCE_DIR}/octet/verify/support/onnxruntime_judge.h.in
               ${PROJECT_BINARY_DIR}/generated/octet/verify/onnxruntime_judge.h @ONLY)
target_include_directories(octet_verify PRIVATE ${PROJECT_BINARY_DIR}/generated)
