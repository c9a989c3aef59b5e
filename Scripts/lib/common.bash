# Sourced by every script here: where the checkout is, messages, packages.
set -euo pipefail
script=$(realpath "$0")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# What building needs.
build_packages=(libasound2-dev libavahi-client-dev libdbus-1-dev libmpg123-dev libqrencode-dev
    libsodium-dev zlib1g-dev)
# What a machine needs to take part; the libraries come with the packages above.
runtime_packages=(avahi-daemon dbus libasound2 libavahi-client3 libmpg123-0 libqrencode4
    libsodium23 zlib1g)
# What making packages needs.
package_packages=(binutils dpkg-dev patchelf xz-utils)
# What the tests start: mDNS on networks of their own, players and probes in them, terminals, encoders for songs,
# decoders to compare with, shells that complete, judges of packages, manual pages and units.
test_packages=(alsa-utils avahi-daemon binutils bsdextrautils bsdutils chafa chromium curl dbus dpkg-dev faad
    ffmpeg fish flac groff-base iproute2 iputils-ping lame libcurl4 libopencore-amrnb0 libopencore-amrwb0
    libsox-fmt-mp3 libsqlite3-0 libvo-amrwbenc0 lintian man-db mpg123 nftables nodejs openssl opus-tools patchelf
    playerctl python3 sox systemd tmux vorbis-tools xz-utils zsh)

say() { printf '%s\n' "$*" >&2; }
die() { say "$(basename "$0"): $*"; exit 1; }

# usage: prints the comment at the top of the script that was started.
usage() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$script"; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null; then sudo "$@"
    else return 1
    fi
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o Dpkg::Use-Pty=0 "$@" </dev/null >&2
}

# need PACKAGE...: installs those that are missing; does not call apt if none is.
need() {
    local package missing=()
    for package in "$@"; do
        [[ " ${missing[*]} " = *" $package "* ]] || is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null || die "install what Debian calls ${missing[*]}, then run this again"
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null \
        || die "missing packages; as root, run: apt-get install ${missing[*]}"
    say "Installing ${missing[*]}"
    # Fetch the package lists only if they are old or missing.
    apt_install "${missing[@]}" 2>/dev/null && return 0
    as_root apt-get update -qq </dev/null >&2 || say "apt-get update failed; trying with the lists that are here"
    apt_install "${missing[@]}" || die "apt-get could not install ${missing[*]}"
}

# unpack_sound_server DIR: unpacks PulseAudio with its ALSA plugin into a directory, with the libraries that are not
# installed. Installed, they would be a daemon for every user, and be loaded by every program that opens ALSA. Leaves
# links there to paths that contain versions and architectures; fails with a message if there is nothing to unpack.
unpack_sound_server() {
    local directory=$1 archive packages=(pulseaudio pulseaudio-utils libasound2-plugins)
    [ -e "$directory/modules/module-null-sink.so" ] && return
    command -v apt-get dpkg-deb >/dev/null || { say "no apt-get, from which a sound server could be had"; return 1; }
    rm -rf "$directory"
    mkdir -p "$directory/archives/partial"
    download() {
        apt-get install --download-only --reinstall -y -qq --no-install-recommends -o Debug::NoLocking=1 \
            -o Dir::Cache::Archives="$(realpath "$directory")/archives" "${packages[@]}" </dev/null >&2
    }
    say "Unpacking ${packages[*]}"
    download 2>/dev/null || {
        as_root apt-get update -qq </dev/null >&2 || true
        download || { say "apt-get could not download ${packages[*]}"; return 1; }
    }
    for archive in "$directory"/archives/*.deb; do dpkg-deb -x "$archive" "$directory"; done
    rm -rf "$directory/archives"
    (
        cd "$directory"
        # Where /lib is /usr/lib, packages may use either name.
        if [ -d lib ]; then cp -a lib/. usr/lib/; fi
        ln -s usr/lib/pulse-*/modules modules
        ln -s usr/lib/*-linux-gnu libraries
        ln -s libraries/alsa-lib plugins
    )
}

# revision: prints the commit of this checkout, in ten digits, with -dirty behind it where there are changes or files
# that git does not know. Prints nothing where this is no checkout. Writes nothing, so that root leaves no files of its
# own.
revision() {
    local commit
    [ -e .git ] && commit=$(git rev-parse --short=10 --verify --quiet HEAD 2>/dev/null) || return 0
    [ -z "$(git --no-optional-locks status --porcelain)" ] || commit+=-dirty
    printf '%s\n' "$commit"
}

need_swift() {
    command -v swift >/dev/null || die "no Swift toolchain: install Swift 6.3 or later from https://swift.org/install"
}

# build_preloads BIN: builds the libraries that processes under test load, and links to them beside the programs in BIN.
build_preloads() {
    local library options=(-c release --package-path Tests/Preloads --scratch-path "$1/preloads")
    swift build "${options[@]}" >&2
    for library in "$(swift build "${options[@]}" --show-bin-path)"/lib*.so; do ln -sfn "$library" "$1/"; done
}

# installable_options: sets `installable`, the options of swift build for a program that runs without a toolchain. Links
# in Swift and what its runtime uses of the C++ library. Together with exporting no names and packing relocations, which
# needs the toolchain's own linker, this saves 2 MB of resident memory.
installable_options() {
    local toolchain archive
    toolchain=$(swiftc -print-target-info | sed -nE 's/.*"runtimeResourcePath" *: *"([^"]*)".*/\1/p')/../../bin
    installable=(-c release --static-swift-stdlib -Xlinker --no-export-dynamic)
    if [ -x "$toolchain/ld.lld" ]; then
        installable+=(-Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs
            -Xlinker "$PWD/Scripts/lib/reproducible.ld")
    fi
    archive=$("$toolchain/clang" -print-file-name=libstdc++.a || true)
    if [ -f "$archive" ]; then
        # In a directory of its own, searched before the one with the shared library.
        mkdir -p .build/c++
        ln -sfn "$archive" .build/c++/libstdc++.a
        installable+=(-Xswiftc "-L$PWD/.build/c++")
    fi
}

# build_program FILE: builds tutti for release, with the Swift library linked in, into FILE, without symbols.
build_program() {
    need "${build_packages[@]}"
    need_swift
    installable_options
    # For tutti --version; the manifest reads it.
    TUTTI_REVISION=$(revision)
    export TUTTI_REVISION
    # The linker leaves the symbols out, for the build's id is of all that it writes.
    installable+=(-Xlinker --strip-all)
    swift build "${installable[@]}" --product tutti >&2
    cp "$(swift build "${installable[@]}" --show-bin-path)/tutti" "$1"
}

# write_manual PROGRAM DIR: writes the manual pages into DIR/man1 and DIR/man5, compressed, the same each time.
write_manual() {
    local program=$1 directory=$2 command
    mkdir -p "$directory/man1" "$directory/man5"
    "$program" help --man | gzip -9n >"$directory/man1/tutti.1.gz"
    for command in $("$program" help --names commands); do
        "$program" help --man "$command" | gzip -9n >"$directory/man1/tutti-$command.1.gz"
    done
    "$program" help --man tutti.toml | gzip -9n >"$directory/man5/tutti.toml.5.gz"
}
