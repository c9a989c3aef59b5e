# What both packages hold.

# stage PROGRAM TREE: puts the program and what belongs to it into the tree as below /usr.
stage() {
    local program=$1 tree=$2 shell file work
    put() { install -D -m "$1" "$2" "$tree/$3"; }
    put 755 "$program" bin/tutti
    put 644 Scripts/lib/tutti.desktop share/applications/tutti.desktop
    for file in tutti.service user/tutti.service sysusers.conf; do
        [ -e "Scripts/lib/units/$file" ] || die "Scripts/lib/units/$file is missing"
    done
    put 644 Scripts/lib/units/tutti.service lib/systemd/system/tutti.service
    put 644 Scripts/lib/units/user/tutti.service lib/systemd/user/tutti.service
    put 644 Scripts/lib/units/sysusers.conf lib/sysusers.d/tutti.conf
    write_manual "$program" "$tree/share/man"
    work=$(mktemp -d -p "$(dirname "$tree")")
    for shell in bash zsh fish; do "$program" help --completion "$shell" >"$work/$shell"; done
    put 644 "$work/bash" share/bash-completion/completions/tutti
    put 644 "$work/zsh" "share/zsh/$zsh_folder/_tutti"
    put 644 "$work/fish" share/fish/vendor_completions.d/tutti.fish
    rm -r "$work"
    # Where the libraries were when it was built is nothing to other machines.
    patchelf --remove-rpath "$tree/bin/tutti"
}

# settle TREE: the same modes and times for all that the tree holds.
settle() {
    find "$1" -type d -exec chmod 755 {} +
    find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}
