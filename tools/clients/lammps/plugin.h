/* The interface between LAMMPS' command `plugin load` and a plugin: the function lammpsplugin_init, and the description of each style that
 * the plugin passes back. The layout is that of LAMMPS since 2021. Its own header, lammpsplugin.h, is in no package. */
#ifndef KICKDRIFT_LAMMPS_PLUGIN_H
#define KICKDRIFT_LAMMPS_PLUGIN_H

extern "C" {
struct lammps_plugin {
    const char *version; /* version of the LAMMPS it was compiled for; NULL: unknown */
    const char *style;   /* such as "fix" or "pair" */
    const char *name, *info, *author;
    union {
        void *(*of_lammps)(void *lammps);
        void *(*of_arguments)(void *lammps, int argc, char **argv);
    } create;
    void *handle; /* handle of the plugin's file */
};
typedef void lammps_plugin_register(struct lammps_plugin *plugin, void *lammps);
typedef void lammps_plugin_init(void *lammps, void *handle, void *register_style);
}

#endif
