file(GLOB files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/hardware ${PROJECT_SOURCE_DIR}/hardware/*.v
     ${PROJECT_SOURCE_DIR}/hardware/bench/*)
octet_embed_files(export hardware_files kHardwareFiles hardware ${files})
