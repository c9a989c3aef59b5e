// Selects the functions that take enums; those with plain ints need 1.31, and macros that Swift cannot see.
#define MPG123_ENUM_API
#include <mpg123.h>
