#!/bin/sh
# Makes the farm's user and database, as a superuser of Postgres: the user owns that database and has no other
# right (docs/deployment.md#postgres). DATABASE_PASSWORD holds its password, in letters and digits.
set -eu
: "${DATABASE_PASSWORD:?}"
# On stdin, because every user of the machine sees arguments.
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --dbname postgres <<END
create role farm login password '$DATABASE_PASSWORD';
create role farm_customer nologin;
grant farm_customer to farm;
create database farm owner farm;
END
