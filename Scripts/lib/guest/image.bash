# Sourced by Scripts/test-guest: makes a machine of Debian's own kernel and packages, which QEMU boots.

# What the guest has beside what debootstrap calls minimal.
guest_packages=(linux-image-amd64 kmod udev systemd systemd-sysv libpam-systemd dbus avahi-daemon libnss-mdns rtkit
    procps iproute2 util-linux busybox-static alsa-utils libasound2 libasound2-plugins libavahi-client3 libmpg123-0 libsodium23
    libqrencode4 zlib1g libavcodec59 dbus-user-session pipewire pipewire-alsa wireplumber)

# make_guest_base DIR: Debian with those packages in DIR/base, its kernel, and an initrd that only mounts the disk. Once
# for this script; it takes a few minutes and 1.5 GB.
make_guest_base() {
    local guest=$1 mirror kernel module
    ! cmp -s Scripts/lib/guest/image.bash "$guest/base.done" || return 0
    say "Making the guest; the first time this takes a few minutes"
    mirror=$(apt-cache policy | sed -nE 's/.* (https?:[^ ]+) bookworm\/main .*/\1/p' | head -1)
    as_root rm -rf --one-file-system "$guest/base" "$guest/initrd.d"
    mkdir -p "$guest"
    as_root debootstrap --variant=minbase --include="$(IFS=,; echo "${guest_packages[*]}")" bookworm "$guest/base" \
        "${mirror:-http://deb.debian.org/debian}" >"$guest/debootstrap.log" 2>&1 \
        || die "debootstrap failed: see $guest/debootstrap.log"
    kernel=$(basename "$guest"/base/lib/modules/*)
    cp "$guest/base/boot/vmlinuz-$kernel" "$guest/vmlinuz"
    [ -e "$guest/base/lib/modules/$kernel/modules.dep" ] || depmod -b "$guest/base" "$kernel"
    mkdir -p "$guest"/initrd.d/{bin,modules,proc,dev,root}
    cp "$guest/base/bin/busybox" "$guest/initrd.d/bin/"
    for module in virtio_pci virtio_blk ext4 crc32c_generic; do
        modprobe -d "$(realpath "$guest/base")" -S "$kernel" --show-depends $module
    done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r module; do
        cp "$module" "$guest/initrd.d/modules/"
        basename "$module" >>"$guest/initrd.d/modules/order"
    done
    install -m 755 Scripts/lib/guest/initrd-init "$guest/initrd.d/init"
    (cd "$guest/initrd.d" && find . | cpio -o -H newc --quiet | gzip -1) >"$guest/initrd"
    # Nothing may run that wakes by itself; a part of the test is the only thing that happens.
    rm -f "$guest"/base/etc/systemd/system/*.wants/{apt-daily,apt-daily-upgrade,dpkg-db-backup,e2scrub_all,fstrim}*
    ln -sf /dev/null "$guest/base/etc/systemd/system/getty@tty1.service"
    ln -sf /dev/null "$guest/base/etc/systemd/system/serial-getty@ttyS0.service"
    ln -sf /dev/null "$guest/base/etc/systemd/system/systemd-networkd-wait-online.service"
    install -m 644 Scripts/lib/guest/guest-part.service "$guest/base/etc/systemd/system/"
    mkdir -p "$guest/base/etc/systemd/system/multi-user.target.wants"
    ln -sf ../guest-part.service "$guest/base/etc/systemd/system/multi-user.target.wants/"
    printf '/dev/vda / ext4 rw,noatime 0 1\n' >"$guest/base/etc/fstab"
    echo guest >"$guest/base/etc/hostname"
    cp Scripts/lib/guest/image.bash "$guest/base.done"
}

# make_guest_disk DIR PROGRAM SONG: DIR/disk.img, the base with this program as /usr/local/bin/tutti, its loader's other
# libraries, and a song.
make_guest_disk() {
    local guest=$1 program=$2 song=$3 library
    rm -rf --one-file-system "$guest/root"
    cp -a --reflink=auto "$guest/base" "$guest/root"
    rm -rf "$guest"/root/var/cache/apt/* "$guest"/root/usr/share/{doc,locale}/* "$guest"/root/boot/*
    install -m 755 "$program" "$guest/root/usr/local/bin/tutti"
    # A program of the tests links with the toolchain's libraries.
    ldd "$program" | awk '$3 ~ /swift/ { print $3 }' | while read -r library; do
        install -m 644 "$library" "$guest/root/usr/local/lib/"
    done
    chroot "$guest/root" ldconfig
    install -D -m 644 "$song" "$guest/root/usr/local/share/song.wav"
    rm -f "$guest/disk.img"
    mke2fs -q -t ext4 -O ^has_journal -d "$guest/root" "$guest/disk.img" 2G
    rm -rf --one-file-system "$guest/root"
}

# boot_guest DIR OUTPUT PART [QEMU OPTION]...: boots the guest, in which PART runs; what it leaves is in OUTPUT. QEMU
# counts instructions in place of host time, so that the guest's clocks, cards and recordings share one time, which a
# busy host does not disturb. Cards that write WAVE files use the audiodevs a0 and a1.
boot_guest() {
    local guest=$1 output=$2 part=$3
    shift 3
    mkdir -p "$output"
    cp Scripts/lib/guest/{run-part,guest.bash} "$output/"
    cp "Scripts/lib/guest/parts/$part" "$output/part"
    timeout "${GUEST_PATIENCE:-1200}" qemu-system-x86_64 -nodefaults -no-user-config -machine pc -cpu max \
        -accel tcg,thread=single -icount shift=0,sleep=off -smp 1 -m 2048 -display none -monitor none -no-reboot \
        -rtc clock=vm -serial "file:$output/console" -kernel "$guest/vmlinuz" -initrd "$guest/initrd" \
        -append "console=ttyS0 quiet loglevel=4 mitigations=off nokaslr tsc=reliable random.trust_cpu=on" \
        -drive "file=$guest/disk.img,if=virtio,format=raw,snapshot=on" \
        -object rng-random,id=rng,filename=/dev/urandom -device virtio-rng-pci,rng=rng \
        -virtfs "local,path=$output,mount_tag=host,security_model=none" \
        -audiodev "wav,id=a0,path=$output/a0.wav,out.frequency=48000,timer-period=1000" \
        -audiodev "wav,id=a1,path=$output/a1.wav,out.frequency=48000,timer-period=1000" "$@" \
        || die "$part: the guest did not end: see $output/console"
    [ "$(cat "$output/status" 2>/dev/null)" = 0 ] && return
    tail -n 20 "$output/log" "$output/console" >&2 || true
    return 1
}
