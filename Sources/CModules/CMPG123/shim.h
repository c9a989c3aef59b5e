// The functions that take enums; those that take plain ints exist since 1.31 only, behind macros that Swift cannot see.
#define MPG123_ENUM_API
#include <mpg123.h>
