# Sourced by the parts, in the guest.

step() { echo "== $* [$(cut -d' ' -f1 /proc/uptime)]"; }

# check WHAT COMMAND...: says whether it succeeds. A part ends with `[ $failed = 0 ]`.
failed=0
check() {
    local what=$1
    shift
    if "$@"; then echo "ok: $what"; else echo "FAILED: $what"; failed=1; fi
}
seconds_since() { awk -v from=$1 '{ printf "%.2f", $1 - from }' /proc/uptime; }
now() { cut -d' ' -f1 /proc/uptime; }
within() { awk -v took=$1 -v limit=$2 'BEGIN { exit !(took <= limit) }'; }
is() { [ "$1" = "$2" ]; }

# journal_says FIELD=UNIT TEXT: whether the journal of that unit does so within ten seconds.
journal_says() {
    for try in $(seq 50); do
        journalctl "$1" -b -o cat --no-pager | grep -qE "$2" && return
        sleep 0.2
    done
    return 1
}

# undisturbed FIELD=UNIT: whether the journal of that unit tells of no xrun and no re-placement, and of a song.
undisturbed() {
    local journal
    journal=$(journalctl "$1" -b -o cat --no-pager)
    grep -q ': playing' <<<"$journal" && ! grep -E 'xrun|re-placement|placed again' <<<"$journal"
}

# warm: what will be read, into the page cache: with counted instructions a wait for the host's disk costs guest time.
warm() {
    cat /usr/local/bin/tutti /usr/bin/tutti /usr/local/lib/*.so* /usr/local/share/song.wav /usr/bin/{arecord,timeout} \
        /usr/lib/x86_64-linux-gnu/*.so* /usr/lib/x86_64-linux-gnu/alsa-lib/* /usr/share/alsa/*.conf \
        /usr/share/alsa/*/* 2>/dev/null | wc -c >/dev/null
}

# load_aloop: two cards of snd-aloop, LA and LB. What is played on their devices 0 comes out of their devices 1, which
# the PCM `both` reads as one: channels 1 and 2 are LA's, 3 and 4 are LB's.
load_aloop() {
    modprobe snd-aloop enable=1,1 index=4,5 id=LA,LB pcm_substreams=1,1
    cat >$HOME/.asoundrc <<'PCM'
pcm.both {
    type multi
    slaves { a { pcm "hw:LA,1" channels 2 } b { pcm "hw:LB,1" channels 2 } }
    bindings { 0 { slave a channel 0 } 1 { slave a channel 1 } 2 { slave b channel 0 } 3 { slave b channel 1 } }
}
PCM
}

record_both() {
    arecord -q -D both -f S32_LE -r 48000 -c 4 --period-size=4800 --buffer-size=96000 "$1" 2>"$1.err" &
    recorder=$!
    sleep 0.5
}

end_recording() { kill -TERM $recorder; wait $recorder || true; }

# listen NAME DEVICE PORT RUN [WRAPPER]...: a listener that writes what it says of itself to RUN.NAME.json.
listen() {
    local name=$1 device=$2 port=$3 run=$4
    shift 4
    mkdir -p /tmp/$name
    HOME=/tmp/$name "$@" tutti join 127.0.0.1:30001 --no-mdns --port $port --name $name --device $device --json \
        --verbose >$OUTPUT/$run.$name.json 2>&1 &
    listeners+=($!)
}

# broadcast SECONDS: to listeners on ports 30002 and 30003, of whom the first is waited for.
broadcast() {
    mkdir -p /tmp/broadcaster
    HOME=/tmp/broadcaster timeout -s INT $1 tutti broadcast /usr/local/share/song.wav --wait ${waited:-2} --no-mdns \
        --no-web --port 30001 --listener 127.0.0.1:30002 --listener 127.0.0.1:30003 -q >/dev/null || true
}

# listen_by_mdns NAME DEVICE RUN: the same by mDNS, beside a service.
listen_by_mdns() {
    mkdir -p /tmp/$1
    HOME=/tmp/$1 tutti join --port 30003 --name $1 --device $2 --json --verbose >$OUTPUT/$3.$1.json 2>&1 &
    listeners+=($!)
}

# make_other_host: one behind a cable.
make_other_host() {
    ip netns add other
    ip link add here type veth peer name there netns other
    ip address add 10.9.0.1/24 dev here
    ip link set here up
    ip -n other address add 10.9.0.2/24 dev there
    ip -n other link set there up
    ip -n other link set lo up
    systemctl restart avahi-daemon
    sleep 3
}

# broadcast_from_other_host: for 20 s, to two listeners. It has a bus and an avahi-daemon of its own.
broadcast_from_other_host() {
    mkdir -p /tmp/broadcaster
    cat >/tmp/other.sh <<'OTHER'
mount -t tmpfs run /run/dbus
mount -t tmpfs run /run/avahi-daemon
dbus-daemon --system --fork --nopidfile
avahi-daemon --daemonize --no-drop-root --no-chroot
sleep 1
HOME=/tmp/broadcaster timeout -s INT 20 tutti broadcast /usr/local/share/song.wav --wait 2 --name Other --no-web -q
for daemon in /run/avahi-daemon/pid; do kill $(cat $daemon); done
OTHER
    nsenter --net=/run/netns/other unshare --mount --uts bash -c 'hostname other; bash /tmp/other.sh' || true
}

end_listeners() {
    pkill -TERM -x tutti || true
    wait "${listeners[@]}" || true
    listeners=()
}
listeners=()


# three_runs A B [WRAPPER]...: on these devices a quiet broadcast, one whose second listener comes 5 s late, and one
# whose second listener stands still for 0.4 s. With `recorded` each is recorded by the PCM `both`.
three_runs() {
    local first=$1 second=$2 run
    shift 2
    for run in quiet late stop; do
        step $run
        [ -z "${recorded:-}" ] || record_both $OUTPUT/$run.wav
        listen A $first 30002 $run "$@"
        [ $run = late ] || listen B $second 30003 $run "$@"
        sleep 2
        waited=$([ $run = late ] && echo 1 || echo 2)
        broadcast ${seconds:-20} &
        player=$!
        case $run in
        late) sleep 5; listen B $second 30003 $run "$@" ;;
        stop)
            sleep 8
            # The one whose clock and card this is; a wrapper stays as it is.
            held=$(pgrep -f '^tutti join .*--name B ')
            kill -STOP $held; sleep 0.4; kill -CONT $held
            ;;
        esac
        wait $player
        end_listeners
        [ -z "${recorded:-}" ] || end_recording
        # Runs begin at any phase of the cards' bursts.
        sleep 0.$((RANDOM % 900 + 100))
    done
}

# one_run A B: a quiet broadcast on these devices.
one_run() {
    step quiet
    listen A $1 30002 quiet
    listen B $2 30003 quiet
    sleep 2
    broadcast ${seconds:-20}
    end_listeners
}
