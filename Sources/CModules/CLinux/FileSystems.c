#include "FileSystems.h"

#include <sys/vfs.h>

/* statfs(2), and linux/magic.h. */
enum {
    magic_nfs = 0x6969,
    magic_smb = 0x517B,
    magic_fuse = 0x65735546,
    magic_9p = 0x01021997,
    magic_ceph = 0x00C36400,
    magic_afs = 0x5346414F,
    magic_coda = 0x73757245,
};
static const unsigned int magic_cifs = 0xFF534D42, magic_smb2 = 0xFE534D42;

int cfilesystems_is_remote(const char *path) {
    struct statfs status;
    if (statfs(path, &status) != 0) return 0;
    const unsigned int type = (unsigned int)status.f_type;
    switch (type) {
        case magic_nfs:
        case magic_smb:
        case magic_fuse:
        case magic_9p:
        case magic_ceph:
        case magic_afs:
        case magic_coda:
            return 1;
        default:
            return type == magic_cifs || type == magic_smb2;
    }
}
