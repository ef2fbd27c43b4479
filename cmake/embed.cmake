# octet_embed(layer script constant): the text of octet/<layer>/support/<script>.py travels inside the library, as the constant of
# octet/<layer>/<script>.h.
function(octet_embed layer script OCTET_CONSTANT)
  set(OCTET_SCRIPT octet/${layer}/support/${script}.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${OCTET_SCRIPT})
  file(READ ${PROJECT_SOURCE_DIR}/${OCTET_SCRIPT} OCTET_TEXT)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded.h.in ${PROJECT_BINARY_DIR}/generated/octet/${layer}/${script}.h @ONLY)
  target_include_directories(octet_${layer} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
