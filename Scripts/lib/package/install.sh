#!/bin/sh
# install.sh [--prefix DIR] | --check | --uninstall [--prefix DIR]: copies Tutti to DIR (default: /usr/local), if this
# machine has what it needs; says what is missing; or takes it away.
set -eu
umask 022

here=$(cd "$(dirname "$0")" && pwd)
prefix=/usr/local
action=install

say() { printf '%s\n' "$*" >&2; }
die() { say "install.sh: $*"; exit 1; }
usage() { sed -n '2,3s/^# //p' "$0"; }
. "$here/services.sh"

while [ $# -gt 0 ]; do
    case "$1" in
    --prefix) [ $# -ge 2 ] || die "--prefix needs a directory"; prefix=$2; shift 2 ;;
    --prefix=*) prefix=${1#*=}; shift ;;
    --check) action=check; shift ;;
    --uninstall) action=uninstall; shift ;;
    -h | --help) usage; exit ;;
    *) die "unknown argument '$1' (see --help)" ;;
    esac
done
case "$prefix" in /*) ;; *) die "--prefix needs an absolute path, not '$prefix'" ;; esac
prefix=${prefix%/}
# A unit would read some others as something else (systemd.service(5)).
case "$prefix" in
*[!A-Za-z0-9/._+~-]*) die "--prefix takes a path of letters, digits and . _ + ~ -, not '$prefix'" ;;
esac

# Says all that is missing, a line each, and fails then.
check() {
    missing=0
    problem() { say "install.sh: $*"; missing=1; }
    [ "$(uname -s)" = Linux ] || problem "this is no Linux"
    [ "$(uname -m)" = "@MACHINE@" ] || problem "this program is for @MACHINE@; this machine is $(uname -m)"
    glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d ' ' -f 2) || glibc=
    if [ -z "$glibc" ]; then
        problem "there is no glibc here (musl?); this program needs glibc @GLIBC@"
    elif [ "$(printf '%s\n' "$glibc" "@GLIBC@" | sort -V | head -n 1)" != "@GLIBC@" ]; then
        problem "this program needs glibc @GLIBC@; here is $glibc: a later release of this distribution has it"
    fi
    [ "$missing" = 0 ] || return 1
    for library in $(LC_ALL=C ldd "$here/bin/tutti" | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p'); do
        problem "$library is missing: $(packages_of "$library")"
    done
    [ "$missing" = 0 ] || return 1
    "$here/bin/tutti" --version >/dev/null || problem "the program does not run on this machine"
    optional libavcodec.so.59 "MP3 and PCM alone are decoded (FFmpeg 5.1 has it)"
    optional libcurl.so.4 "songs and stations by URL are not played"
    optional libsqlite3.so.0 "music is not found by artist, album or title"
    [ -e /run/avahi-daemon/socket ] || say "avahi-daemon does not run: others are found by their address alone"
    [ "$missing" = 0 ]
}

# packages_of LIBRARY: prints which packages have it.
packages_of() {
    names=$(sed -n "s/^ *$1  *//p" "$here/README")
    [ -n "$names" ] || { echo "no package is known for it"; return; }
    echo "$names" | awk '{ printf "%s on Debian and Ubuntu, %s on Fedora, %s on Arch\n", $1, $2, $3 }'
}

# optional LIBRARY WHAT: says what is not done without it.
optional() {
    PATH=$PATH:/sbin:/usr/sbin
    ldconfig -p 2>/dev/null | grep -qF "$1 " || say "without $1, which is missing here, $2"
}

# The files that are copied, by their paths below the prefix.
files() { (cd "$here" && find bin lib share -type f | sort); }

# The unit names the program's place. What is copied belongs to whoever installs it, not to whoever unpacked it.
copy() {
    mkdir -p "$prefix/$(dirname "$1")"
    rm -f "$prefix/$1"
    case "$1" in
    lib/systemd/*) sed "s|/usr/bin/tutti|$prefix/bin/tutti|g" "$here/$1" >"$prefix/$1" ;;
    *) cp "$here/$1" "$prefix/$1" ;;
    esac
}

# Tells the system's managers of what came and went, where this is a whole system and not a directory of one's own.
reload() {
    each_manager reload_manager
    [ "$(id -u)" = 0 ] || return 0
    if command -v update-desktop-database >/dev/null; then
        update-desktop-database -q "$prefix/share/applications" || true
    fi
}

case "$action" in
check) check && say "Nothing that it needs is missing." ;;
install)
    check || die "nothing was copied"
    mkdir -p "$prefix" 2>/dev/null && [ -w "$prefix" ] || die "cannot write to $prefix: run this as root"
    files | while read -r file; do copy "$file"; done
    # The user of the system's service.
    if [ "$(id -u)" = 0 ] && [ -d /run/systemd/system ]; then
        systemd-sysusers "$prefix/lib/sysusers.d/tutti.conf"
    fi
    reload
    say "Installed $prefix/bin/tutti; see README for the service."
    ;;
uninstall)
    files | while read -r file; do [ ! -e "$prefix/$file" ] || exit 1; done && die "there is no Tutti in $prefix"
    [ ! -e "$prefix/bin/tutti" ] || [ -w "$prefix/bin" ] || die "cannot write to $prefix/bin: run this as root"
    end_services
    files | while read -r file; do rm -f "$prefix/$file"; done
    reload
    say "Took it away from $prefix. /etc/tutti and /var/lib/tutti are still there."
    ;;
esac
