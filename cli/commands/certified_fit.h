// fit --certify.
#pragma once

#include <evenhand/certify.h>

#include <string>

#include "output/figures.h"

namespace evenhand::cli {

// What the certificate costs, and the rates of the plain fit beside it.
std::string certificate_in_words(const CertifiedFit& fit, const Tally& tally);
Json certificate_json(const CertifiedFit& fit, const Tally& tally);

// There are too few rows: what would do. Returns the exit status.
int say_too_few(const CertifiedFit& fit, const Tally& tally, bool json);

}  // namespace evenhand::cli
