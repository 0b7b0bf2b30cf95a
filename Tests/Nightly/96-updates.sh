#!/bin/bash
# SPDX-FileCopyrightText: 2026 The OnAir authors
# SPDX-License-Identifier: GPL-3.0-or-later
#
# slots: 6
#
# Updates on the emulated board: a good bundle, one with another signature, a truncated one, an older one, power cuts in the
# middle (CUTS, default 10), and one that starts but cannot stream. There is a running box at the end of each, and it says what happened.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../image.sh
. "$root/Tests/image.sh"
patience=900
bundles=$work/bundles
mkdir "$bundles"

# --- The bundles ------------------------------------------------------------------------------------------

# A program that starts and stays, but answers nothing.
printf '%s\n' '#!/bin/sh' 'exec sleep 1000000' >"$work/mute"
need_image arm64-uefi --no-pack --bundle --version 2-mute --binary "$work/mute"
mv "$image_folder/onair-arm64-uefi.raucb" "$bundles/mute.raucb"
need_image arm64-uefi --no-pack --bundle --version 0.9-older
mv "$image_folder/onair-arm64-uefi.raucb" "$bundles/older.raucb"
need_image arm64-uefi --no-pack --bundle --version 1-good
mv "$image_folder/onair-arm64-uefi.raucb" "$bundles/good.raucb"
head -c $(($(stat -c %s "$bundles/good.raucb") / 2)) "$bundles/good.raucb" >"$bundles/truncated.raucb"
openssl req -x509 -newkey rsa:2048 -nodes -days 3000 -subj '/CN=somebody else' \
  -keyout "$work/other.key" -out "$work/other.cert" 2>/dev/null
sign_as_other() { # BUNDLE: the payload, a detached signature (CMS), and the length of that in 8 bytes
  local bytes length
  bytes=$(stat -c %s "$1")
  length=$((16#$(tail -c 8 "$1" | od -An -tx1 | tr -d ' \n')))
  head -c $((bytes - 8 - length)) "$1" >"$work/payload"
  openssl cms -sign -binary -in "$work/payload" -signer "$work/other.cert" -inkey "$work/other.key" -outform DER -out "$work/signature"
  # shellcheck disable=SC2059  # the bytes are the format
  { cat "$work/payload" "$work/signature" && printf "$(printf '%016x' "$(stat -c %s "$work/signature")" | sed 's/../\\x&/g')"; }
  rm "$work/payload"
}
sign_as_other "$bundles/good.raucb" >"$bundles/other.raucb"

http_port=$(free_port $((first_port + 30)))
start_bound "$work/http.log" python3 -m http.server --bind 127.0.0.1 --directory "$bundles" "$http_port"

# --- The table --------------------------------------------------------------------------------------------

# The box installs a bundle as soon as it runs, once for each name. With a short patience for what cannot stream.
updates_to() { # BUNDLE NAME [OPTION]
  new_extras
  # shellcheck disable=SC2016  # expanded on the box
  add_unit update '. /run/onair-boot/env; [ $$ONAIR_SLOT = a ] || exit 0; asked=/var/lib/onair-update/asked-'"$2"'; [ ! -e $$asked ] || exit 0; until curl -sf -o /dev/null http://127.0.0.1/healthz; do sleep 1; done; echo; touch $$asked; sync; echo BOX begins; /usr/lib/onair/update '"${3:-}"' http://10.0.2.2:'"$http_port/$1"'; echo "BOX status $$?"; tail -n 4 /var/lib/onair-update/log | sed "s/^/BOX log /"'
  # shellcheck disable=SC2016
  add_unit outcome '. /run/onair-boot/env; while :; do sleep 5; echo "BOX now slot $$ONAIR_SLOT good $$(/usr/lib/onair/slots get-primary) result $$(cat /var/lib/onair-update/result)"; done'
  add_drop_in onair-confirm.service <<END
[Service]
ExecStart=
ExecStart=/usr/lib/onair/confirm 60
END
  # A program that never gets ready is given up, as on a box: only then is its update undone.
  add_drop_in onair.service <<<$'[Service]\nTimeoutStartSec=30s'
}

new_update() { # BUNDLE [OPTION]
  new_card arm64-uefi
  updates_to "$1.raucb" first "${2:-}"
  start_box
}

end_update() { # WHAT
  expect_page "$1: at the end"
  echo "table   $1: $(told | sed -n 's/^BOX now //p' | tail -n 1)"
  cut_power
}

new_update good
expect_told 'good' 'slot b good b result .*confirmed'
end_update 'good'

refuse_update() { # BUNDLE REASON
  new_update "$1"
  expect_told "$1" "slot a good a result The update was not installed: $2"
  end_update "$1"
}
refuse_update other 'it is not signed'
refuse_update truncated 'the file is no update, or not all of it'
refuse_update older 'it is older'
new_update older --older
expect_told 'older, on purpose' 'slot b good b result .*confirmed'
end_update 'older, on purpose'

new_update mute
expect_told 'cannot stream: undone' 'slot a good a result .*was undone'
end_update 'cannot stream'

for ((cut = 1; cut <= ${CUTS:-10}; cut++)); do
  new_update good
  wait_until has_told 'BOX begins' || miss 'the update did not begin'
  seconds=$((RANDOM % 45)).$((RANDOM % 10))
  sleep "$seconds"
  cut_power
  # The update may have ended just before. Otherwise the next one does.
  updates_to good.raucb second
  start_box
  expect_page "cut $seconds s after the begin"
  expect_told "cut $cut, then again" 'slot b good b result .*confirmed'
  end_update "cut $cut"
done
conclude
