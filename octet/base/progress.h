// progress.h: how long work reports how far it is. The library calls; showing it is the caller's business.
#pragma once

#include <cstddef>
#include <functional>

namespace octet {

// `done` of `total` steps; the last call has done == total. May be empty.
using Progress = std::function<void(std::size_t done, std::size_t total)>;

}  // namespace octet
