// Comparing what is recorded with what was found.
#pragma once

#include <evenhand/verify.h>

#include <string>

namespace evenhand::verifying {

bool same(double recorded, double found, double whole) noexcept;

// Collects checks.
class Checks {
 public:
  void yes(std::string name, std::string words);
  void no(std::string name, std::string words);
  void unchecked(std::string name, std::string words);
  // Two figures, relative to the size of the whole.
  void figure(std::string name, double recorded, double found, double whole);

  // Several figures under one name: yes if all agree, else no with the first that does not.
  class Several {
   public:
    Several(Checks& checks, std::string name) : checks_(checks), name_(std::move(name)) {}
    void add(const std::string& what, double recorded, double found, double whole);
    void fail(const std::string& what);
    void conclude(const std::string& words);  // if at least one was added

   private:
    Checks& checks_;
    std::string name_;
    std::string trouble_;
    std::size_t count_ = 0;
  };

  void fingerprint(const std::string& name, const std::string& recorded, const std::string& found,
                   const std::string& if_same, const std::string& if_not);

  Verification done() { return std::move(out_); }

 private:
  Verification out_;
};

// Objective, violation, bound and status, which are the same for all kinds of rules.
struct Found {
  double primal = 0;
  double violation = 0;
  double magnitude = 0;
  std::optional<double> bound = {};  // none: `why_no_bound` says why
  std::string why_no_bound = {};
  bool bound_is_wrong = false;  // its multipliers make no sense
  bool few_coins = false;       // the bound is that of the program with coins
};
void check_proof(const RecordedProof& proof, const Found& found, Checks& checks);

}  // namespace evenhand::verifying
