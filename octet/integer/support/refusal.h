// refusal.h: which steps of a program are not of integers alone, and why.
#pragma once

#include <string>

#include "octet/program/program.h"

namespace octet {

// Empty for a step that has an integer form.
std::string refusal(const Program& program, const Step& step);

}  // namespace octet
