// For a program that travels with its libraries: it needs neither Graphviz's folder of plugins nor its list of them.
#include <graphviz/gvplugin.h>

#include "layout/context.h"

extern "C" {
extern gvplugin_library_t gvplugin_core_LTX_library, gvplugin_dot_layout_LTX_library, gvplugin_neato_layout_LTX_library,
    gvplugin_pango_LTX_library;
}

namespace octet {

GVC_t* graphviz_context() {
  static const lt_symlist_t kPlugins[] = {{"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library},
                                          {"gvplugin_neato_layout_LTX_library", &gvplugin_neato_layout_LTX_library},
                                          {"gvplugin_pango_LTX_library", &gvplugin_pango_LTX_library},
                                          {"gvplugin_core_LTX_library", &gvplugin_core_LTX_library},
                                          {nullptr, nullptr}};
  return gvContextPlugins(kPlugins, 0);
}

}  // namespace octet
