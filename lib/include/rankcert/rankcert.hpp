#pragma once
/// \file rankcert.hpp  The whole library: reading heads, bracketing r_ε, writing and checking certificates.
///
/// The trusted part alone, without the search, is rankcert::core with the headers of the folders rigor,
/// linalg, io, attention and certificate.

#include "rankcert/attention/head.hpp"
#include "rankcert/attention/mask.hpp"
#include "rankcert/attention/softmax.hpp"
#include "rankcert/audit/certificate.hpp"
#include "rankcert/audit/declaration.hpp"
#include "rankcert/audit/decomposition.hpp"
#include "rankcert/audit/errors.hpp"
#include "rankcert/audit/factors.hpp"
#include "rankcert/audit/solve.hpp"
#include "rankcert/audit/spectrum.hpp"
#include "rankcert/bracket/bracket.hpp"
#include "rankcert/certificate/bundle.hpp"
#include "rankcert/certificate/checker.hpp"
#include "rankcert/certificate/formal.hpp"
#include "rankcert/diagnosis/diagnosis.hpp"
#include "rankcert/io/npy.hpp"
#include "rankcert/io/safetensors.hpp"
#include "rankcert/linalg/exact_matrix.hpp"
#include "rankcert/rigor/decision.hpp"
#include "rankcert/rigor/error.hpp"
#include "rankcert/rigor/rational.hpp"
#include "rankcert/version.hpp"
