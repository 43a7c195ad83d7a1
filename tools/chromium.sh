#!/bin/sh
# Sees to it that the page's tests find a Chromium (web/test/browser/open.mjs
# looks in the same order). Root gets Debian's package. Anybody else gets that
# package and what it needs unpacked in .cache/chromium, from this machine's own
# apt sources: no root, no sudo, and nothing outside that folder changes. The
# folder appears whole or not at all; a run that was killed is taken up again.
set -eu
cd "$(dirname "$0")/.."

cache=$PWD/.cache
own=$cache/chromium
part=$cache/chromium.part
program=root/usr/lib/chromium/chromium

say() { echo "chromium: $*"; }
die() { say "$*" >&2; exit 1; }
byhand="Install Chromium or Chrome, or set VYRE_CHROMIUM to its program"

system() {
	for c in chromium chromium-browser google-chrome; do
		command -v "$c" >/dev/null 2>&1 && return
	done
	return 1
}

# Lists and archives of our own, the machine's sources, keys and dpkg status.
# Nothing is installed, so nobody's lock is needed. The status is named because
# apt would look for it beside a state folder of this name.
apt() {
	apt-get -qq -y -o Debug::NoLocking=true \
		-o Dir::State="$part/apt" -o Dir::Cache="$part/apt" \
		-o Dir::State::status=/var/lib/dpkg/status \
		-o Acquire::Languages=none -o Acquire::Retries=3 \
		-o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false "$@"
}

fetch() {
	mkdir -p "$part/apt/lists/partial" "$part/apt/archives/partial"
	# One bad source of many need not matter: the next step knows.
	apt update || say "some apt sources failed; going on with the others" >&2
	apt autoclean >/dev/null # what a killed run left may be old by now
	apt install --reinstall --no-install-recommends --download-only chromium >"$part/log" 2>&1 || {
		cat "$part/log" >&2
		die "apt-get could not fetch chromium. $byhand."
	}
}

unpack() {
	rm -rf "$part/root"
	mkdir "$part/root"
	for deb in "$part"/apt/archives/*.deb; do
		case ${deb##*/} in
		libc6_*) ;; # has to match the machine's dynamic linker, so the machine's is used
		*) dpkg-deb -x "$deb" "$part/root" ;;
		esac
	done
	[ -x "$part/$program" ] || die "this machine's apt has no Chromium as a plain package. $byhand."
	rm -f "$part/root/usr/lib/chromium/chrome-sandbox" # of no use without root's setuid
}

# The machine's fonts and settings, and the unpacked fonts where it has none.
fonts() {
	cat >"$part/fonts.conf" <<-'END'
		<?xml version="1.0"?>
		<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
		<fontconfig>
		  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
		  <dir>/usr/share/fonts</dir>
		  <dir prefix="relative">root/usr/share/fonts</dir>
		  <cachedir prefix="xdg">fontconfig</cachedir>
		  <alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
		  <alias><family>serif</family><prefer><family>DejaVu Serif</family></prefer></alias>
		  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
		</fontconfig>
	END
}

# Every folder with libraries: some (PulseAudio's) are otherwise found by an
# absolute path only. Paths are kept relative, so the tree may move.
wrapper() {
	libs=$(cd "$part" && find root -path root/usr/share -prune -o -name 'lib*.so*' -exec dirname {} \; | sort -u | sed 's|^|$here/|' | paste -sd: -)
	cat >"$part/chromium" <<-END
		#!/bin/sh
		# Runs the Chromium beside this file. Written by tools/chromium.sh.
		here=\$(cd "\$(dirname "\$0")" && pwd -P)
		export LD_LIBRARY_PATH="$libs\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
		export FONTCONFIG_FILE="\$here/fonts.conf"
		exec "\$here/$program" "\$@"
	END
	chmod +x "$part/chromium"
}

prove() {
	timeout 60 "$part/chromium" --headless --no-sandbox --disable-gpu --user-data-dir="$part/profile" \
		--dump-dom 'data:text/html,<p>it runs' >"$part/log" 2>&1 9>&- && grep -q 'it runs' "$part/log" || {
		cat "$part/log" >&2
		die "the fetched Chromium does not run on this machine. $byhand."
	}
}

if [ -n "${VYRE_CHROMIUM:-}" ]; then
	command -v "$VYRE_CHROMIUM" >/dev/null 2>&1 || die "VYRE_CHROMIUM names $VYRE_CHROMIUM, which is no program"
	exit 0
fi
works() { "$own/chromium" --version >/dev/null 2>&1; }
works && exit 0
[ ! -e "$own" ] && system && exit 0
command -v apt-get >/dev/null 2>&1 && command -v dpkg-deb >/dev/null 2>&1 ||
	die "the page's tests need Chromium, and without apt-get it can't be fetched here. $byhand."

mkdir -p "$cache"
exec 9>"$cache/chromium.lock"
flock 9
works && exit 0 # another run was first
rm -rf "$own"   # it is there and does not run
system && exit 0

if [ "$(id -u)" = 0 ]; then
	say "installing Debian's package for the page's tests"
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null
	exit 0
fi

say "fetching Debian's package and what it needs into .cache/chromium (once; up to 200 MB, 700 MB unpacked)"
fetch
unpack
fonts
wrapper
prove
rm -rf "$part/apt" "$part/profile" "$part/log"
mv "$part" "$own"
