octet_embed(verify onnxruntime_judge kOnnxRuntimeJudge)

# The conformance suite.
file(GLOB files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/docs/quantization/vectors
     ${PROJECT_SOURCE_DIR}/docs/quantization/vectors/*)
octet_embed_files(verify suite_files kSuiteFiles docs/quantization/vectors ${files})
