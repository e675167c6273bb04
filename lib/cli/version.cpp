#include "version.hpp"

#include <gmp.h>
#include <mpfr.h>

#include <Eigen/Core>
#include <boost/version.hpp>
#include <string>

#include "exit_code.hpp"
#include "output.hpp"
#include "rankcert/version.hpp"

namespace rankcert::cli {

int run_version(const VersionArguments& arguments) {
    std::string text = std::string("rankcert ") + kVersion + "\n";
    if (arguments.verbose) {
        const auto number = [](int value) { return std::to_string(value); };
        text += "GMP " + std::string(gmp_version) + ", MPFR " + mpfr_get_version() + ", Boost " +
                number(BOOST_VERSION / 100000) + "." + number(BOOST_VERSION / 100 % 1000) + ", Eigen " +
                number(EIGEN_WORLD_VERSION) + "." + number(EIGEN_MAJOR_VERSION) + "." +
                number(EIGEN_MINOR_VERSION) + ", compiler " + __VERSION__ + "\n";
    }
    print(text);
    return kProved;
}

}  // namespace rankcert::cli
