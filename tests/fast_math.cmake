cmake_minimum_required(VERSION 3.25)

# Under fast-math a compiler may reorder, contract and flush what the proofs count on. A build of the trusted
# library with it must fail with one sentence and leave no object behind, and so must each part of it.
set(sentence "rankcert's trusted sources must not be built with -ffast-math or a part of it")

file(REMOVE_RECURSE ${WORK})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
                        -DCMAKE_CXX_FLAGS=-ffast-math -DRANKCERT_BUILD_TESTS=OFF -DRANKCERT_BUILD_EXAMPLES=OFF
                        -DRANKCERT_BUILD_CLI=OFF
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
set(keep_going -k)
if(GENERATOR MATCHES Ninja)
  set(keep_going -k 0)
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK} --target rankcert_core -- ${keep_going}
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
string(FIND "${output}" "${sentence}" at)
file(GLOB_RECURSE objects ${WORK}/*.o)
if(result EQUAL 0 OR at EQUAL -1 OR objects)
  message(FATAL_ERROR "a build with -ffast-math was not refused as it should be (${result}); objects: ${objects}\n"
                      "${output}")
endif()

# This source is compiled without the precompiled headers, so it must refuse by itself. -E: preprocess only.
foreach(flag -ffast-math -Ofast -ffinite-math-only -funsafe-math-optimizations -freciprocal-math
        -fno-signed-zeros -O3)
  execute_process(COMMAND ${CXX} -std=c++20 -E ${flag} -I${SOURCE}/lib/include -I${SOURCE}/lib/src -I${EIGEN}
                          ${SOURCE}/lib/src/linalg/product_kernel.cpp
                  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors)
  string(FIND "${errors}" "${sentence}" at)
  if(flag STREQUAL -O3)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "an ordinary build is refused (${result}):\n${errors}")
    endif()
  elseif(result EQUAL 0 OR at EQUAL -1)
    message(FATAL_ERROR "${flag} is not refused (${result}):\n${errors}")
  endif()
endforeach()
message(STATUS "fast-math and its parts are refused")
