#!/bin/sh
# Makes the role by which the hub logs in. "memory-hub migrate --login hub" lets it serve: it owns nothing.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$HUB_PASSWORD" -U postgres -d memory <<'SQL'
create role hub login password :'password';
SQL
