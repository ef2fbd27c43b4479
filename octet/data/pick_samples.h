// pick_samples.h: which samples are taken where not all of them are wanted: evenly over groups (classes or folders).
//
// Every group gives as many samples as any other, or all of its own where it has fewer. What can't be divided comes from groups at
// even distances in their order. Within a group of n, the k-th of q samples is number floor(k n / q), counted from 0.
// With a seed the groups that give one more, and the samples of each group, are drawn instead: the same ones for the same seed on
// every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace octet {

// The numbers of the samples that are taken, ascending: `wanted` of them, or all where there are no more. groups[i] is the group of
// sample i.
std::vector<std::int64_t> pick_samples(std::span<const std::int64_t> groups, std::int64_t wanted,
                                       std::optional<std::uint64_t> seed = std::nullopt);

// "100 of 10,000 samples, 10 of each of 10 classes", where groups are `kind`, such as "class"; "100 of 10,000 samples, at even
// distances" of a single group.
std::string picked_text(std::span<const std::int64_t> groups, std::span<const std::int64_t> picked,
                        const std::string& kind, std::optional<std::uint64_t> seed = std::nullopt);

}  // namespace octet
