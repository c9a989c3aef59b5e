# The package for Debian, made by dpkg's own tools.

# make_debian_package TREE FILE
make_debian_package() {
    local tree=$1 file=$2 documents=$1/usr/share/doc/tutti script
    zsh_folder=vendor-completions stage "$work/tutti" "$tree/usr"
    install -d "$tree/etc/tutti/tutti.toml.d" "$documents/examples"
    install -m 644 Scripts/lib/package/copyright Scripts/lib/package/README.Debian "$documents/"
    install -m 644 Scripts/lib/package/tutti.toml "$documents/examples/"
    install -D -m 644 Scripts/lib/package/lintian-overrides "$tree/usr/share/lintian/overrides/tutti"
    debian_changelog | gzip -9n >"$documents/changelog.gz"
    gzip -9n <CHANGELOG.md >"$documents/NEWS.gz"

    install -d "$tree/DEBIAN"
    for script in postinst prerm postrm; do
        install -m 755 "Scripts/lib/package/$script" "$tree/DEBIAN/$script"
    done
    (cd "$tree" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) \
        >"$work/md5sums"
    install -m 644 "$work/md5sums" "$tree/DEBIAN/md5sums"
    debian_control "$tree" >"$work/control"
    install -m 644 "$work/control" "$tree/DEBIAN/control"
    settle "$tree"
    # One thread: where blocks end must not depend on the machine.
    dpkg-deb --root-owner-group -Zxz "-z$level" --threads-max=1 --build "$tree" "$file" >/dev/null
    say "Made $file ($(du -h "$file" | cut -f1))"
}

# debian_changelog: one entry, by Debian's format; what is new is in NEWS.
debian_changelog() {
    printf 'tutti (%s) unstable; urgency=medium\n\n  * See NEWS.gz.\n\n -- %s  %s\n' \
        "$version" "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
}

# debian_control TREE
debian_control() {
    local depends size
    depends=$(shared_libraries "$1")
    # As dpkg-gencontrol counts: whole KiB of each file, one of all else.
    size=$(find "$1" -path "$1/DEBIAN" -prune -o -printf '%y %s\n' |
        awk '{ total += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print total }')
    # The units reload by kill, which procps has.
    cat <<END
Package: tutti
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $size
Depends: $depends, init-system-helpers (>= 1.54~), procps
Recommends: avahi-daemon, libavcodec59, libcurl4 | libcurl3-gnutls, libsqlite3-0, rtkit
Suggests: chafa, libflac12, libmp3lame0, libopencore-amrnb0, libopencore-amrwb0
Section: sound
Priority: optional
$(cat Scripts/lib/package/description)
END
}

# shared_libraries TREE: the packages of the libraries that the program is linked with, with the versions that it needs.
# Libraries of no package are an error in a program that was built here; one that was built elsewhere is warned of.
shared_libraries() {
    local lenient=()
    mkdir -p "$work/shlibs/debian"
    printf 'Source: tutti\n\nPackage: tutti\nArchitecture: any\n' >"$work/shlibs/debian/control"
    if [ -n "$program" ]; then
        lenient=(--ignore-missing-info)
        say "$program: what is in no package is left out of the dependencies"
        while read -r name _ path _; do
            [[ $path != /* ]] || lenient+=("-l$(dirname "$path")")
        done < <(LC_ALL=C ldd "$program")
    fi
    (cd "$work/shlibs" && dpkg-shlibdeps -O "${lenient[@]}" "$1/usr/bin/tutti" 2>"$work/shlibs/log") |
        sed -n 's/^shlibs:Depends=//p'
    [ "${PIPESTATUS[0]}" = 0 ] || { cat "$work/shlibs/log" >&2; die "the program's libraries are in no package"; }
}
