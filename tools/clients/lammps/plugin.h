/* What LAMMPS' command `plugin load` and a plugin agree on: the function lammpsplugin_init, and the description that it hands back for each
 * style. The layout is LAMMPS', of 2021 and later; its own header of it, lammpsplugin.h, is in no package. */
#ifndef KICKDRIFT_LAMMPS_PLUGIN_H
#define KICKDRIFT_LAMMPS_PLUGIN_H

extern "C" {
struct lammps_plugin {
    const char *version; /* of the LAMMPS that it was compiled for; NULL: not known */
    const char *style;   /* "fix", "pair", ... */
    const char *name, *info, *author;
    union {
        void *(*of_lammps)(void *lammps);
        void *(*of_arguments)(void *lammps, int argc, char **argv);
    } create;
    void *handle; /* of the plugin's file */
};
typedef void lammps_plugin_register(struct lammps_plugin *plugin, void *lammps);
typedef void lammps_plugin_init(void *lammps, void *handle, void *register_style);
}

#endif
