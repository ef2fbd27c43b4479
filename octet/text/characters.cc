#include "octet/text/characters.h"

#include <algorithm>
#include <array>

namespace octet {
namespace {

struct Points {
  char32_t first, last;
};

// The Unicode categories Cc, Cf, Co, Zl and Zp, and the property Default_Ignorable_Code_Point.
constexpr std::array kHidden = std::to_array<Points>({
    {0x0, 0x1F},          {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},     {0x600, 0x605},
    {0x61C, 0x61C},       {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},
    {0x115F, 0x1160},     {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},
    {0x2060, 0x206F},     {0x3164, 0x3164},   {0xE000, 0xF8FF},   {0xFDD0, 0xFDEF},   {0xFE00, 0xFE0F},
    {0xFEFF, 0xFEFF},     {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD},
    {0x13430, 0x1343F},   {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}, {0xF0000, 0xFFFFD},
    {0x100000, 0x10FFFD},
});

// Combining marks of the Latin, Greek and Cyrillic scripts, of symbols and of kana.
constexpr std::array kMarks = std::to_array<Points>({
    {0x300, 0x36F},
    {0x483, 0x489},
    {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF},
    {0x20D0, 0x20F0},
    {0x3099, 0x309A},
    {0xFE20, 0xFE2F},
});

// Whole blocks that have wide characters.
constexpr std::array kWide = std::to_array<Points>({
    {0x1100, 0x115E},   {0x231A, 0x231B},   {0x2329, 0x232A},   {0x23E9, 0x23F3}, {0x25FD, 0x25FE}, {0x2600, 0x27BF},
    {0x2B1B, 0x2B1C},   {0x2B50, 0x2B55},   {0x2E80, 0x303E},   {0x3040, 0xA4CF}, {0xA960, 0xA97F}, {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE1F},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x16FE0, 0x18DFF},
    {0x1AFF0, 0x1B2FF}, {0x1F000, 0x1FAFF}, {0x20000, 0x3FFFD},
});

template <std::size_t Count>
bool contains(const std::array<Points, Count>& sorted, char32_t point) {
  const auto after = std::upper_bound(sorted.begin(), sorted.end(), point,
                                      [](char32_t p, const Points& points) { return p < points.first; });
  return after != sorted.begin() && point <= (after - 1)->last;
}

bool is_visible_ascii(char32_t point) { return point >= 0x20 && point < 0x7F; }

}  // namespace

bool is_hidden(char32_t point) {
  if (is_visible_ascii(point)) return false;
  const bool noncharacter = (point & 0xFFFE) == 0xFFFE;  // the last two of every plane
  return noncharacter || contains(kHidden, point);
}

int columns_of(char32_t point) {
  if (is_visible_ascii(point)) return 1;
  if (contains(kMarks, point)) return 0;
  return contains(kWide, point) ? 2 : 1;
}

}  // namespace octet
