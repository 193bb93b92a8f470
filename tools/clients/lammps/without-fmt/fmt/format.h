/* The names that LAMMPS' headers use from its own copy of {fmt}. Debian's liblammps-dev (20220106) leaves it out, and no package has its
 * version. There are only declarations: nothing here is called, because LAMMPS' functions without a format take plain strings. */
#ifndef KICKDRIFT_LAMMPS_FMT_FORMAT_H
#define KICKDRIFT_LAMMPS_FMT_FORMAT_H

#include <string>

namespace fmt {
class format_args;
class string_view {
  public:
    string_view(const char *text);
    string_view(const std::string &text);
};
template <typename... Args, typename S> format_args make_args_checked(const S &format, const Args &...args);
} // namespace fmt

#endif
