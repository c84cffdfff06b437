// What a fit means, in sentences: the tool and Python say the same.
#pragma once

#include <evenhand/audit.h>
#include <evenhand/certify.h>
#include <evenhand/criterion.h>
#include <evenhand/sgd.h>
#include <evenhand/soft_check.h>
#include <evenhand/solve.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenhand {

// "statistical-parity between the groups of sex within race, tolerance 0.02; rate <= 0.1"
std::string in_words(const Criterion& criterion);

// "proven optimal: within 2e-17 of the best fair rule; violation 0"
std::string proof_in_words(Status status, double gap, double violation);
// "approximate: 500 steps of stochastic gradient descent, ..."
std::string in_words(const SgdResult& run);

// "no rule meets the requirements: ...; relaxing every bound by 0.1 would make them feasible"
std::string in_words(const Infeasibility& why, const Criterion& criterion);

// Each cell that is compared with no other, and why.
std::vector<std::string> not_compared_in_words(const Solution& fit, const CellNames& cells);

// Whom coins decide, and what it would cost to decide nobody by coin; `most` cells are listed.
std::vector<std::string> coins_in_words(const Tally& tally, const Solution& fit,
                                        std::size_t most = 10);
// That a rule without coins, or with few, gives everybody the same answer, which tolerance would do
// better, and which cell is too small; empty if it does not.
std::string constant_rule_in_words(const Tally& tally, const Solution& fit);

// What the certificate costs, and the rates of the plain fit beside it.
std::vector<std::string> in_words(const CertifiedFit& fit, const Tally& tally);
// That there are too few rows, and how many are needed.
std::string too_few_in_words(const CertifiedFit& fit, const Tally& tally);

// The columns against the true groups, whose column has this name.
std::vector<std::string> in_words(const SoftCheck& check, std::string_view truth);

// Where labels are given, but the rule maximises what the scores promise: figures by the scores, of
// the base decisions and of the rule. The same where cells borrow outcomes (benefits.h), with
// these. None where the labels, or nothing at all, tell all outcomes.
struct Promise {
  Figures before, after;
  bool borrowed = false;
};
std::optional<Figures> promised_figures(const Tally& tally, const Solution& fit);  // after alone
std::optional<Promise> promise_of(const Tally& tally, const Solution& fit);
// "maximised by what the scores promise: accuracy 85.1 % -> 83.2 %; accuracy above is by the
// labels"; the cost instead where costs differ.
std::string in_words(const Promise& promise, const Costs& costs);

}  // namespace evenhand
