// Faults on demand, from a file that tests rewrite.
#include "Card.h"

#include <stdio.h>
#include <string.h>

void control_read(struct control *control) {
    control->busy = control->gone = control->chatters = false;
    control->gone_at = control->xrun_at = control->stall_at = 0;
    if (!control->path[0]) return;
    FILE *file = fopen(control->path, "re");
    if (!file) return;
    char line[128];
    while (fgets(line, sizeof line, file)) {
        long long at;
        if (strncmp(line, "busy", 4) == 0) control->busy = true;
        else if (strncmp(line, "chatter", 7) == 0) control->chatters = true;
        else if (sscanf(line, "gone-at %lld", &at) == 1) control->gone_at = at;
        else if (sscanf(line, "xrun-at %lld", &at) == 1) control->xrun_at = at;
        else if (sscanf(line, "stall-at %lld", &at) == 1) control->stall_at = at;
        else if (strncmp(line, "gone", 4) == 0) control->gone = true;
    }
    fclose(file);
}

bool control_is_gone(const struct control *control, int64_t now) {
    return control->gone || (control->gone_at && now >= control->gone_at);
}
