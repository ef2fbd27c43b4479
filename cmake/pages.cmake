# Manual pages and completion for shells, which the command writes about itself, and where they are installed.
include(GNUInstallDirs)
set(pages ${PROJECT_BINARY_DIR}/generated/pages)
add_custom_command(
  OUTPUT ${pages}.written
  COMMAND ${CMAKE_COMMAND} -DOCTET=$<TARGET_FILE:octet> -DFOLDER=${pages} -P ${CMAKE_CURRENT_LIST_DIR}/write_pages.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${pages}.written
  DEPENDS octet ${CMAKE_CURRENT_LIST_DIR}/write_pages.cmake
  VERBATIM)
if(NOT CMAKE_CROSSCOMPILING)
  add_custom_target(octet_pages ALL DEPENDS ${pages}.written)
  install(DIRECTORY ${pages}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${pages}/octet DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${pages}/_octet DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${pages}/octet.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
