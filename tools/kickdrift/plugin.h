/* Fields that are loaded while the program runs: the modules <target>_plugin of kickdrift_add_field. */
#ifndef KICKDRIFT_TOOLS_PLUGIN_H
#define KICKDRIFT_TOOLS_PLUGIN_H

#include <kickdrift/force.h>

#include <stddef.h>

/* Returns the field in a shared library, which stays open until the program ends because its kernels are called until then. Returns NULL if
 * there is no field that was compiled for this Kickdrift; then `why` says what was expected and what was found. */
const kdr_custom_field *plugin_open(const char *path, char *why, size_t size);

#endif
