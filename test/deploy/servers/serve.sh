#!/bin/sh
# Takes the arguments that compose.yaml gives each server.
set -eu
case $1 in
postgres)
  shift
  base=/var/lib/postgresql/farm
  if [ ! -e "$base/PG_VERSION" ]; then
    install -d -o postgres -g postgres -m 0700 "$base"
    echo "$POSTGRES_PASSWORD" > /tmp/password
    chown postgres /tmp/password
    setpriv --reuid postgres --regid postgres --init-groups \
      initdb --pgdata "$base" --username "$POSTGRES_USER" --pwfile /tmp/password --auth scram-sha-256 > /dev/null
    echo 'host all all all scram-sha-256' >> "$base/pg_hba.conf"
    echo "create database $POSTGRES_DB" | setpriv --reuid postgres --regid postgres --init-groups \
      postgres --single -D "$base" postgres > /dev/null
  fi
  exec setpriv --reuid postgres --regid postgres --init-groups \
    postgres -D "$base" -k /tmp -c listen_addresses='*' "$@"
  ;;
server) exec temporal "$@" ;;
--port) MINIO_ROOT_USER=$ROOT_ACCESS_KEY MINIO_ROOT_PASSWORD=$ROOT_SECRET_KEY exec minio server --address :9000 /data ;;
esac
