// How many threads work where options leave it open.
#pragma once

namespace evenhand {

// From now on, `threads = 0` in any options means so many; 0: as many as there are cores, the
// default. Results do not depend on it.
void use_threads(unsigned count) noexcept;

}  // namespace evenhand
