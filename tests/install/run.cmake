# cmake -DBUILD=<build tree> -DCOMPILER=<compiler> -P run.cmake: installs Octet to a prefix of its own, then builds and
# runs a project that uses it.
set(work ${BUILD}/install_test)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work}/consumer)
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${work}/consumer COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B . -G Ninja -DCMAKE_PREFIX_PATH=${work}/prefix
    -DCMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build .)
run(./consumer)
