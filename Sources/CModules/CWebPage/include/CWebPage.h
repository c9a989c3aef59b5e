/* The page that a broadcaster serves to browsers: the files of the folder `page`, as they are, within the program. In C,
   since only C embeds files (C23, section 6.10.4). */
#ifndef CWEBPAGE_H
#define CWEBPAGE_H

#include <stddef.h>

struct cwebpage_file {
    /* Without folders, as it stands in the address: "index.html". */
    const char *name;
    /* As the Content-Type header has it (RFC 9110, section 8.3). */
    const char *media_type;
    const unsigned char *bytes;
    size_t byte_count;
};

/* How many files there are. */
size_t cwebpage_file_count(void);

/* The file of this index, which is below the count. It lives as long as the program. */
const struct cwebpage_file *cwebpage_file(size_t index);

#endif
