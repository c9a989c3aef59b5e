# The archive for other distributions.

# make_tarball DIR FILE
make_tarball() {
    local name=tutti-$version-$architecture tree glibc
    tree=$1/$name
    glibc=$(objdump -T "$work/tutti" | grep -o 'GLIBC_2\.[0-9.]*' | sort -uV | tail -n 1)
    zsh_folder=site-functions stage "$work/tutti" "$tree"
    for file in install.sh README; do
        sed -e "s/@VERSION@/$version/g" -e "s/@GLIBC@/${glibc#GLIBC_}/g" -e "s/@MACHINE@/$(uname -m)/g" \
            "Scripts/lib/package/$file" >"$work/$file"
    done
    install -m 755 "$work/install.sh" "$tree/install.sh"
    install -m 644 "$work/README" CHANGELOG.md "$tree/"
    install -m 644 Scripts/lib/package/{services.sh,copyright,tutti.toml} "$tree/"
    settle "$tree"
    tar --create --directory "$1" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu "$name" |
        xz -T1 "-$level" >"$2"
    say "Made $2 ($(du -h "$2" | cut -f1))"
}
