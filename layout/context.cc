#include "layout/context.h"

namespace octet {

GVC_t* graphviz_context() { return gvContext(); }

}  // namespace octet
