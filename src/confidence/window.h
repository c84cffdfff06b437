// Windows of rates that are certified: from the smallest rate t up to the largest one, phi(t), that
// keeps the bound of all pairs within the goal. They depend on sizes alone.
#pragma once

#include <evenhand/certify.h>

#include <functional>
#include <optional>
#include <vector>

namespace evenhand {

// As highest_certified says, with the pair that sets it; none where all rates up to 1 are
// certified.
struct HighestCertified {
  double rate = 1;
  std::optional<std::size_t> pair = {};
};
HighestCertified highest_of_pairs(const PairBounds& bounds, std::span<const std::size_t> pairs,
                                  const Goal& goal, double lowest);

struct CertifiedWindow {
  double low = 0;
  double high = 1;
};

// phi as a rising step function: between two points of a grid the lower one's window holds, which
// is the narrower. Points are worked out when they are asked for.
class CertifiedWindows {
 public:
  // `bounds` must outlive this.
  CertifiedWindows(const PairBounds& bounds, std::vector<std::size_t> pairs, const Goal& goal);

  // Whether any rate can be certified: bounds are narrowest at the ends of the scale.
  bool any();

  // The window that starts just below `low`, if it is certified and reaches up to `high`.
  std::optional<CertifiedWindow> around(double low, double high);

  // The window in which `worth` is largest; it grows with a window and is concave in its ends. None
  // is skipped that could be better.
  CertifiedWindow best(const std::function<double(const CertifiedWindow&)>& worth);

 private:
  static constexpr std::size_t points = 4096;

  static double at(std::size_t i) { return static_cast<double>(i) / points; }
  const HighestCertified& from(std::size_t i);
  double phi(std::size_t i) { return from(i).rate; }  // below at(i): not certified

  const PairBounds* bounds_;
  std::vector<std::size_t> pairs_;
  Goal goal_;
  std::vector<std::optional<HighestCertified>> from_;
};

}  // namespace evenhand
