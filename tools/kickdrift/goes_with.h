/* Prints which features of coupled runs go together, as the library answers. */
#ifndef KICKDRIFT_TOOLS_GOES_WITH_H
#define KICKDRIFT_TOOLS_GOES_WITH_H

/* Prints two tables in Markdown: members of kdr_coupled_desc against families of methods, and against each other. */
void goes_with_print(void);

#endif
