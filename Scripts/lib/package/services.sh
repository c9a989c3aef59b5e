# Ends Tutti's services before its program goes. Sourced, by sh, with `say`, `die`, and $prefix, where Tutti lies.

# each_manager FUNCTION: calls FUNCTION WHOSE COMMAND... for each manager of services that this user may command, where
# COMMAND speaks to it: as root that of the system, and those of users who are logged in.
each_manager() {
    command -v systemctl >/dev/null || return 0
    if [ "$(id -u)" != 0 ]; then
        "$1" "your tutti.service" systemctl --user
        return
    fi
    "$1" "the system's tutti.service" systemctl --system
    for directory in /run/user/*; do
        [ -S "$directory/systemd/private" ] || continue
        user=$(id -nu "${directory##*/}" 2>/dev/null) || continue
        "$1" "tutti.service of $user" runuser -u "$user" -- \
            env XDG_RUNTIME_DIR="$directory" DBUS_SESSION_BUS_ADDRESS="unix:path=$directory/bus" systemctl --user
    done
}

# end_service WHOSE COMMAND...: stops and disables the service, if what it runs is the program of this prefix.
end_service() {
    whose=$1
    shift
    # Where no systemd runs, this fails.
    facts=$("$@" show -p ExecStart -p ActiveState -p UnitFileState tutti.service 2>/dev/null) || return 0
    case "$facts" in *"path=$prefix/bin/tutti ;"*) ;; *) return 0 ;; esac
    case "$facts" in
    *ActiveState=inactive* | *ActiveState=failed*) ;;
    *)
        "$@" stop tutti.service || die "$whose does not stop; nothing was taken away"
        say "Stopped $whose."
        ;;
    esac
    case "$facts" in
    *UnitFileState=enabled* | *UnitFileState=linked*)
        "$@" -q disable tutti.service || die "$whose cannot be disabled; nothing was taken away"
        say "Disabled $whose: it is begun no more."
        ;;
    esac
}

# end_services: the same for all that this user may command, also where it is enabled for users to come. Says what is
# left to others.
end_services() {
    each_manager end_service
    [ "$(id -u)" = 0 ] || return 0
    link=/etc/systemd/user/default.target.wants/tutti.service
    if [ "$(readlink -f "$link")" = "$prefix/lib/systemd/user/tutti.service" ]; then
        systemctl --global -q disable tutti.service || die "tutti.service of all users cannot be disabled"
        say "Disabled tutti.service of all users: it is begun no more."
    fi
    [ ! -e "$prefix/lib/systemd/user/tutti.service" ] ||
        say "Whoever has enabled it and is not logged in: systemctl --user disable tutti"
}

# reload_manager WHOSE COMMAND...: has it see which units came and went.
reload_manager() {
    shift
    "$@" daemon-reload 2>/dev/null || true
}
