#!/bin/sh
# Runs the measurements with a display, a made one if there is none, and a session bus that ends with them.
set -eu
if [ -n "${DISPLAY:-}" ]; then
	exec dbus-run-session -- "$@"
fi
Xvfb :96 -screen 0 1280x860x24 >/dev/null 2>&1 &
x=$!
trap 'kill $x' EXIT
DISPLAY=:96 dbus-run-session -- "$@"
