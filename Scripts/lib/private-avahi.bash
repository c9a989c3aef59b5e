# A private avahi-daemon on the loopback interface, with a D-Bus of its own: nothing on the network sees it, and a
# daemon that is started later finds its place free.

# Whether an avahi-daemon answers on the bus that programs use.
avahi_answers() {
    dbus-send --system --print-reply --reply-timeout=2000 --dest=org.freedesktop.Avahi / \
        org.freedesktop.Avahi.Server.GetState >/dev/null 2>&1
}

# start_private_avahi DIR: starts both daemons with their files in DIR, and points DBUS_SYSTEM_BUS_ADDRESS at them.
# Their process ids are left in private_avahi_pids.
private_avahi_pids=()
start_private_avahi() {
    local dir=$1 try
    cat >"$dir/dbus.conf" <<-END
	<busconfig>
	  <type>system</type>
	  <listen>unix:path=$dir/bus</listen>
	  <policy context="default">
	    <allow user="*"/>
	    <allow own="*"/>
	    <allow send_destination="*" eavesdrop="false"/>
	    <allow receive_sender="*" eavesdrop="false"/>
	    <allow send_requested_reply="true"/>
	    <allow receive_requested_reply="true"/>
	  </policy>
	</busconfig>
	END
    cat >"$dir/avahi.conf" <<-END
	[server]
	allow-interfaces=lo
	[wide-area]
	enable-wide-area=no
	[publish]
	publish-hinfo=no
	publish-workstation=no
	END
    dbus-daemon --config-file="$dir/dbus.conf" --nofork --nopidfile --print-address >"$dir/dbus.address" 2>"$dir/dbus.log" &
    private_avahi_pids+=($!)
    export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$dir/bus
    # It prints its address once it listens there.
    for try in {1..50}; do [ -s "$dir/dbus.address" ] && break; sleep 0.1; done

    # avahi-daemon keeps its process id and a socket in /run/avahi-daemon, which must belong to the user "avahi": it
    # gets a /run of its own and us as that user, in a mount namespace. Without root that takes a user namespace around
    # it.
    local namespaces=(--mount)
    [ "$(id -u)" = 0 ] || namespaces=(--user --map-current-user --keep-caps --mount)
    printf 'root:x:0:0::/:/bin/sh\navahi:x:%s:%s::/:/bin/false\n' "$(id -u)" "$(id -g)" >"$dir/passwd"
    printf 'root:x:0:\navahi:x:%s:\n' "$(id -g)" >"$dir/group"
    unshare "${namespaces[@]}" sh -c '
        mount -t tmpfs tmpfs /run && mkdir /run/avahi-daemon || exit 1
        mount --bind "$1/passwd" /etc/passwd && mount --bind "$1/group" /etc/group || exit 1
        exec avahi-daemon --no-drop-root --no-chroot --no-rlimits --no-proc-title -f "$1/avahi.conf"
    ' sh "$dir" >"$dir/avahi.log" 2>&1 &
    private_avahi_pids+=($!)
    for try in {1..50}; do avahi_answers && return 0; sleep 0.1; done
    say "The private avahi-daemon did not start:"
    tail -n 5 "$dir/avahi.log" "$dir/dbus.log" >&2
    return 1
}

# Ends them, the last started first.
stop_private_avahi() {
    local index
    for ((index = ${#private_avahi_pids[@]} - 1; index >= 0; index--)); do
        kill "${private_avahi_pids[$index]}" 2>/dev/null || true
        wait "${private_avahi_pids[$index]}" 2>/dev/null || true
    done
    private_avahi_pids=()
}
