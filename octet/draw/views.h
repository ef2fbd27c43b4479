// views.h: what can be drawn of a network.
#pragma once

#include "octet/draw/drawn_program.h"
#include "octet/draw/picture.h"
#include "octet/inspect/report.h"

namespace octet {

// Every node of the file, and the tensors it stores.
Picture full_view(const ModelReport& report);

// Pairs of QuantizeLinear and DequantizeLinear become wires with scale and zero point; weights are lines in the node
// that reads them.
Picture folded_view(const ModelReport& report);

// The network in the large: nodes that play the same part are one, with their number; so are tensors that are stored
// for the same purpose.
Picture pattern_view(const ModelReport& report);

// The steps of a program: types, shapes, multipliers, and the proven width of each accumulator.
Picture program_view(const DrawnProgram& program);

}  // namespace octet
