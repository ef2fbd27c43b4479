# The files of hardware/ travel inside the library: generated/octet/export/hardware_files.h has their names and texts.
set(OCTET_HARDWARE "")
file(GLOB files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/hardware ${PROJECT_SOURCE_DIR}/hardware/*.v
     ${PROJECT_SOURCE_DIR}/hardware/bench/*)
foreach(file ${files})
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/hardware/${file})
  file(READ ${PROJECT_SOURCE_DIR}/hardware/${file} text)
  string(APPEND OCTET_HARDWARE "    {\"${file}\", R\"file(${text})file\"},\n")
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/octet/export/support/hardware_files.h.in
               ${PROJECT_BINARY_DIR}/generated/octet/export/hardware_files.h @ONLY)
target_include_directories(octet_export PRIVATE ${PROJECT_BINARY_DIR}/generated)
