#!/bin/sh
# Installs the packages of package-lock.json without running their scripts. The build's secrets
# `npmrc` and `ca`, where they are given, name another registry and the authority that it is trusted by.
set -eu
if [ -e /run/secrets/ca ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/ca; fi
if [ -e /run/secrets/npmrc ]; then export NPM_CONFIG_USERCONFIG=/run/secrets/npmrc; fi
exec npm ci --ignore-scripts --include=optional --no-audit --no-fund --loglevel=error "$@"
