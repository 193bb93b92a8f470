/* Prints the text of --version. */
#ifndef KICKDRIFT_TOOLS_VERSION_H
#define KICKDRIFT_TOOLS_VERSION_H

/* Prints the version, the backend that is chosen here, the compiler, the options of the build, and the fingerprint of the quick cases of
 * `kickdrift verify` that was shipped. */
void version_print(void);

#endif
