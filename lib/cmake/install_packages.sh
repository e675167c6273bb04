#!/bin/sh
# install_packages.sh PACKAGE...   installs those of the Debian packages that are missing, and says which.
# Root is needed for that alone: where we are not root, sudo is asked for it.
set -eu
missing=
for package in "$@"; do
    if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
        missing="$missing $package"
    fi
done
[ -n "$missing" ] || exit 0
echo "Installing from Debian:$missing"
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086  # one word a package
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
