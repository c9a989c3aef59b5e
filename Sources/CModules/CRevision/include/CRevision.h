/* Which revision of the sources this program was built from. In C, since the manifest can give text to C alone, and so
   that another revision costs one small file and a link. */
#ifndef CREVISION_H
#define CREVISION_H

/* As `TUTTI_REVISION` had it in the environment of the build, which Scripts/install sets; empty where it was not set. */
const char *crevision(void);

#endif
