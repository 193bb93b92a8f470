/* Fields that are opened while the program runs: the modules <target>_plugin of kickdrift_add_field. */
#ifndef KICKDRIFT_TOOLS_PLUGIN_H
#define KICKDRIFT_TOOLS_PLUGIN_H

#include <kickdrift/force.h>

#include <stddef.h>

/* The field in a shared library, which stays open until the program ends, for its kernels run until then. NULL: there is none that was compiled for
 * this Kickdrift, and `why` says what was expected and what is there. */
const kdr_custom_field *plugin_open(const char *path, char *why, size_t size);

#endif
