/* Includes the file of the field that KDR_FIELD names, then the unit's body for it, and clears the field's macros. */
#define KDR_FILE_TEXT(file) #file
#define KDR_FILE_OF(field) KDR_FILE_TEXT(field.inl)
#include KDR_FILE_OF(KDR_FIELD)

#include KDR_FIELD_BODY

#undef KDR_FIELD
#undef KDR_FIELD_TITLE
#undef KDR_FIELD_PARAMETERS
#undef KDR_FIELD_REQUIRED
#undef KDR_FIELD_POSITIVE
#undef KDR_FIELD_RANGES
#undef KDR_FIELD_DIRECTIONS
#undef KDR_FIELD_FLAGS
#undef KDR_FIELD_GRID
#undef KDR_FIELD_GRID_DIMS
