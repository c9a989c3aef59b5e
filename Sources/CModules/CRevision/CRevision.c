#include "CRevision.h"

#ifndef TUTTI_REVISION
#define TUTTI_REVISION ""
#endif

const char *crevision(void) { return TUTTI_REVISION; }
