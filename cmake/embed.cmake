# octet_embed(layer script constant): the text of octet/<layer>/support/<script>.py travels inside the library, as the constant of
# octet/<layer>/<script>.h.
function(octet_embed layer script OCTET_CONSTANT)
  set(OCTET_SCRIPT octet/${layer}/support/${script}.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${OCTET_SCRIPT})
  file(READ ${PROJECT_SOURCE_DIR}/${OCTET_SCRIPT} OCTET_TEXT)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded.h.in ${PROJECT_BINARY_DIR}/generated/octet/${layer}/${script}.h @ONLY)
  target_include_directories(octet_${layer} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()

# octet_embed_files(layer header constant folder files...): texts travel inside the library, each by its name in `folder`, as the
# array `constant` of octet/<layer>/<header>.h.
function(octet_embed_files layer header OCTET_CONSTANT OCTET_FOLDER)
  set(OCTET_FILES "")
  foreach(file ${ARGN})
    set(path ${PROJECT_SOURCE_DIR}/${OCTET_FOLDER}/${file})
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    string(APPEND OCTET_FILES "    {\"${file}\", R\"file(${text})file\"sv},\n")
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded_files.h.in ${PROJECT_BINARY_DIR}/generated/octet/${layer}/${header}.h @ONLY)
  target_include_directories(octet_${layer} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
