#include "tally/coarsened.h"

#include "tally/data.h"

namespace evenhand {

Tally coarsened(const Tally& tally, std::size_t most) {
  const Tally::Data& data = tally.data();
  const Sorted& sorted = data.sorted();
  const std::optional<int> level = level_for(sorted, most, data.reading);
  if (!level) return tally;
  auto out = std::make_shared<Tally::Data>();
  out->names = data.names;
  out->reading = data.reading;
  out->resolution = Resolution::at_most(most);
  out->level = level;
  out->labelled = data.labelled;
  out->unit_weights = data.unit_weights;
  out->integer_weights = data.integer_weights;
  return finish(std::move(out), coarsen(sorted, *level, data.reading));
}

}  // namespace evenhand
