# `cpack`: a package for Debian and Ubuntu, and an archive of the same files. The versions of the shared libraries are those of
# the system that it is built on.
set(CPACK_PACKAGE_NAME octet)
set(CPACK_PACKAGE_VENDOR "The Octet project")
set(CPACK_PACKAGE_CONTACT "The Octet project <octet@localhost>")
set(CPACK_PACKAGE_DESCRIPTION
    "Octet turns 8-bit ONNX networks into exact integer programs, proves how wide their registers must be, compares every tensor with ONNX Runtime, runs them, and writes them as C and Verilog.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# For who links the library; the command needs none of it.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "cmake, pkg-config, libprotobuf-dev, libfmt-dev, nlohmann-json3-dev, libzip-dev, libhwy-dev, libre2-dev, libjpeg-dev, libpng-dev, python3, gcc")
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
include(CPack)
