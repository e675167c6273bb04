cmake_minimum_required(VERSION 3.25)

# Installs the build into a fresh prefix and builds two strangers' programs against it, by find_package and by
# pkg-config.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${ARGN}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
run(${WORK}/build/checker_only)

file(GLOB_RECURSE pc ${WORK}/prefix/*/rankcert.pc)
cmake_path(GET pc PARENT_PATH pc_dir)
set(ENV{PKG_CONFIG_PATH} ${pc_dir})
execute_process(COMMAND pkg-config --cflags --libs rankcert
                OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags)
run(c++ -std=c++20 ${SOURCE}/consumer.cpp -o ${WORK}/by_pkg_config ${flags} -pthread)
run(${WORK}/by_pkg_config)

# A program that has Eigen allocate matrices in another way is refused with one sentence, not left to crash.
set(otherwise -DEIGEN_MAX_ALIGN_BYTES=128)
file(STRINGS ${WORK}/prefix/include/rankcert/eigen_abi.hpp as_built REGEX "aligned to 16 bytes")
execute_process(COMMAND c++ -dumpmachine OUTPUT_VARIABLE machine COMMAND_ERROR_IS_FATAL ANY)
if(as_built AND machine MATCHES "^x86_64")
  list(APPEND otherwise -mavx -march=skylake-avx512)
endif()
foreach(flag ${otherwise})
  execute_process(COMMAND c++ -std=c++20 ${flag} -fsyntax-only -Wfatal-errors ${SOURCE}/checker_only.cpp ${flags}
                  RESULT_VARIABLE result ERROR_VARIABLE errors)
  if(result EQUAL 0 OR NOT errors MATCHES "rankcert was built for Eigen matrices aligned to [0-9]+ bytes")
    message(FATAL_ERROR "a consumer with ${flag} was not refused as it should be (${result}):\n${errors}")
  endif()
endforeach()
