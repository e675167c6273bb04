# Eigen gives and takes back the memory of its matrices in a way that depends on the vector instructions (and the
# sanitizers) that a file is compiled with. Matrices pass between rankcert and its users, so both must agree. What
# this build does is recorded in the header rankcert/eigen_abi.hpp, which refuses, with one sentence, to be compiled
# into a program that does otherwise.
get_target_property(include_dirs Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
list(TRANSFORM include_dirs PREPEND -I)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}")
set(probe ${CMAKE_CURRENT_BINARY_DIR}/eigen_abi_probe.cpp)
file(WRITE ${probe} "#include <Eigen/Core>
rankcert_probe EIGEN_MAX_ALIGN_BYTES EIGEN_DEFAULT_ALIGN_BYTES EIGEN_MALLOC_ALREADY_ALIGNED end
")
execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${flags} ${include_dirs} -std=c++20 -E -P ${probe}
                OUTPUT_VARIABLE preprocessed COMMAND_ERROR_IS_FATAL ANY)
if(NOT preprocessed MATCHES "rankcert_probe ([0-9]+) ([0-9]+) ([0-9]+) end")
  message(FATAL_ERROR "cannot tell how Eigen aligns its matrices with ${CMAKE_CXX_COMPILER}")
endif()
set(RANKCERT_EIGEN_MAX_ALIGN ${CMAKE_MATCH_1})
set(RANKCERT_EIGEN_DEFAULT_ALIGN ${CMAKE_MATCH_2})
set(RANKCERT_EIGEN_PLAIN_MALLOC ${CMAKE_MATCH_3})
configure_file(${CMAKE_CURRENT_LIST_DIR}/eigen_abi.hpp.in include/rankcert/eigen_abi.hpp @ONLY)
