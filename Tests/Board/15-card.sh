#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The settings on the card: systemd/onair-card with a real FAT file system. What was secret must not be anywhere on the
# partition once it was taken, and a card without work for the box is not written to.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cat >"$work/card" <<'END'
set -u
failures=0
ok() { echo "ok      15-card: $*"; }
miss() { echo "FAILED  15-card: $*"; failures=$((failures + 1)); }
# Whether a file has a line that matches.
has() { # FILE PATTERN
  if grep -qaE -- "$2" "$1"; then ok "${1##*/} has $2"; else miss "${1##*/} lacks $2: $(cat "$1")"; fi
}

modprobe -a vfat nls_cp437 nls_ascii
mkdir -p /dev/disk/by-label /etc/onair /etc/NetworkManager/system-connections /mnt/card
mount -t vfat /dev/vdc /mnt/card && umount /mnt/card || exit 1
ln -sf /dev/vdc /dev/disk/by-label/ONAIR
ln -sf "$PWD/onair" /usr/bin/onair
printf '[video]\nsource = "pattern"\n' >/etc/onair/onair.toml
export STATE_DIRECTORY=/tmp/state
install -d -m 700 -o onair -g onair "$STATE_DIRECTORY"
settings=$STATE_DIRECTORY/settings.toml profile=/etc/NetworkManager/system-connections/onair-card.nmconnection

# A person's computer writes a file, in the lines of Windows.
put() { # NAME
  mount -t vfat /dev/vdc /mnt/card
  sed 's/$/\r/' >"/mnt/card/$1"
  umount /mnt/card
}
look() { mount -t vfat -o ro /dev/vdc /mnt/card && cp /mnt/card/* "$1" 2>/dev/null; umount /mnt/card; }
seed() { # EXIT-CODE WORDS
  status=0
  said=$(./onair-card seed 2>&1) || status=$?
  if [ "$status" = "$1" ]; then
    case $said in *"$2"*) ok "$2" ;; *) miss "\"$2\" is not said: $said" ;; esac
  else
    miss "exit $status instead of $1: $said"
  fi
}

before=$(md5sum </dev/vdc)
seed 0 'The card has no settings.'
if [ "$(md5sum </dev/vdc)" = "$before" ]; then ok 'a card without work is not written to'; else miss 'the card was written to'; fi

put onair.toml <<'FILE'
[publish]
url = "rtmp://example.org/live"
key = "s3cret-K3Y"
[wifi]
ssid = "Home"
password = "s3cret-W1FI"
country = "DE"
[page]
password = "s3cret-P4GE"
FILE
seed 0 "The card's settings are taken."
has "$settings" 's3cret-K3Y'
has "$profile" '^psk=s3cret-W1FI$'
if grep -qa s3cret /dev/vdc; then miss 'a secret is left on the partition'; else ok 'no secret is left on the partition'; fi
for file in settings.toml access.json seed.toml; do
  owner=$(stat -c '%U %a' "$STATE_DIRECTORY/$file")
  if [ "$owner" = 'onair 600' ]; then ok "$file: $owner"; else miss "$file: $owner"; fi
done
if [ "$(stat -c '%U %a' "$profile")" = 'root 600' ]; then ok 'the Wi-Fi is for root alone'; else miss "$(stat "$profile")"; fi

before=$(md5sum </dev/vdc)
seed 0 "The card's settings were taken before."
if [ "$(md5sum </dev/vdc)" = "$before" ]; then ok 'nor a second time'; else miss 'the card was written to again'; fi

put onair.toml <<'FILE'
[video]
fsp = 25
size = “1280x720”
FILE
seed 78 'Line 2, column 1: video.fsp: '
mkdir -p /tmp/card
look /tmp/card
has /tmp/card/onair-errors.txt '^Line 2, column 1: video.fsp: .*video.fps\?.$'
has /tmp/card/onair-errors.txt '^Line 3, column 8: .*curly ones\..$'
has "$settings" 's3cret-K3Y'
has "$STATE_DIRECTORY/seed-mistakes" 'video.fsp'

put onair.toml <<'FILE'
[video]
fps = 25
FILE
seed 0 "The card's settings are taken."
rm -rf /tmp/card && mkdir /tmp/card
look /tmp/card
if [ -e /tmp/card/onair-errors.txt ]; then miss 'the mistakes are still told'; else ok 'the mistakes are gone'; fi
put 'onair (1).toml' <<'FILE'
[video]
fps = 20
FILE
seed 0 "The card's settings were taken before."
look /tmp/card
has /tmp/card/onair-errors.txt '^onair \(1\).toml is not used, since there is onair.toml.'
mount -t vfat /dev/vdc /mnt/card && rm /mnt/card/onair.toml && umount /mnt/card
seed 0 "The card's settings are taken."
exit $((failures > 0))
END
truncate -s 64M "$work/disk"
PATH=$PATH:/usr/sbin:/sbin mkfs.vfat -n ONAIR "$work/disk" >"$work/mkfs"
run_on_board --timeout 1700 --disk "$work/disk" --out "$work/out" "$work/card" "$root/systemd/onair-card" ||
  miss "the board's script failed ($?)"
conclude
