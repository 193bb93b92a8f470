/* Prints which features of system runs go together, as the library answers. */
#ifndef KICKDRIFT_TOOLS_OPTION_RULES_H
#define KICKDRIFT_TOOLS_OPTION_RULES_H

/* Prints two tables in Markdown: members of kdr_system_desc against families of methods, and against each other. */
void option_rules_print(void);

#endif
