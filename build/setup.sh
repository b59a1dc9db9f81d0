#!/bin/sh
# Installs what a fresh Debian machine lacks, and says what. Run again, it finds everything there and installs nothing.
#
#   build/setup.sh window   what building and opening the window needs
#   build/setup.sh test     what the tests need besides
#
# Exits with 1, having said what is missing, where it may not install.
set -eu

window="gcc libc6-dev pkg-config libgtk-3-dev libwebkit2gtk-4.1-dev"
test="$window chromium xvfb dbus-daemon dbus-bin gnome-keyring libsecret-tools webkit2gtk-driver"

case "${1:-}" in
window) wanted=$window ;;
test) wanted=$test ;;
*) echo "usage: build/setup.sh window|test" >&2; exit 2 ;;
esac

missing=
for package in $wanted; do
	status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
	[ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
	echo "Parley needs these Debian packages, or what your system calls them:$missing" >&2
	exit 1
fi
sudo=
if [ "$(id -u)" != 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "Parley needs these packages, and only root can install them:$missing" >&2
		exit 1
	fi
	sudo=sudo
fi
echo "Installing Debian packages:$missing" >&2
$sudo apt-get update -qq
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
