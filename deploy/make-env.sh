#!/bin/sh
# Writes deploy/.env with random secrets for compose.yaml: make-env.sh [--podman].
# An existing file is kept: data depends on it.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
file=$folder/.env
if [ -e "$file" ]; then
  echo "$file exists already and is kept." >&2
  exit 1
fi
case ${1:-} in
'') unmask=systempaths=unconfined ;;
--podman) unmask=unmask=ALL ;;
*) echo "make-env.sh takes --podman or nothing. Got $1" >&2; exit 1 ;;
esac
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
umask 077
{
  for name in POSTGRES_PASSWORD STORE_PASSWORD FARM_SECRET FARM_NODE_TOKEN; do
    echo "$name=$(random)"
  done
  echo "FARM_SECCOMP=$folder/seccomp/farm-worker.json"
  echo "FARM_UNMASK=$unmask"
} > "$file"
echo "wrote $file"
