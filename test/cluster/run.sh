#!/usr/bin/env bash
# Runs the tests of test/cluster, or those that are named, on a Citus cluster that it builds, starts and stops.
set -Eeuo pipefail
cd "$(dirname "$0")/../.."

tag=v13.2.2 release=13.2-1
bin=${PG_BIN:-/usr/lib/postgresql/15/bin}

usage() {
  cat <<END
Usage: npm run test:cluster -- GIT_DIR [WORD…]

Starts a coordinator and three workers of Citus $tag, runs \`npm run jest -- WORD…\` on them, and stops them.
GIT_DIR is a git directory of citusdata/citus, from which Citus is built where PostgreSQL does not have it yet: as root
on Debian, some ten minutes. Without WORDs: test/cluster --maxWorkers=2.

  CLUSTER_DIR  the folder of the nodes, which stays, and with which another run goes on. Unset: a new one, removed at
               the end. The user postgres must reach it.
  PG_BIN       the programs of PostgreSQL ($bin)
END
}

case ${1---help} in -h | --help) usage && exit ;; esac
git_dir=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- test/cluster --maxWorkers=2
folder=${CLUSTER_DIR:-$(mktemp -d)}
mkdir -p "$folder"
chmod a+rx "$folder"
folder=$(realpath "$folder")

# PostgreSQL refuses to run as root.
as_postgres() { (cd / && if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi); }

installed() {
  grep -qs "'$release'" "$("$bin/pg_config" --sharedir)/extension/citus.control" && [ -e "$("$bin/pg_config" --pkglibdir)/citus.so" ]
}

build() {
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q postgresql-15 postgresql-server-dev-15 gcc make flex bison \
    libcurl4-openssl-dev liblz4-dev libzstd-dev libicu-dev libssl-dev libkrb5-dev libxslt1-dev
  local source=$folder/source
  rm -rf "$source" && mkdir "$source"
  git -C "$git_dir" archive "$tag" | tar x -C "$source"
  # PostgreSQL 15.20 made its own function of this name public, beside which that of Citus does not compile.
  find "$source/src" -name '*.[ch]' -exec sed -i 's/\bhave_createdb_privilege\b/citus_&/g' {} +
  (cd "$source" && ./configure PG_CONFIG="$bin/pg_config" && make -s -j"$(nproc)" && make -s install)
}

port=$((20000 + RANDOM % 10000))
free_port() {
  while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
}

# `fsync = off`: no test takes the power away. Each database of a test has a background worker on each node.
make_node() {
  mkdir -p "$1"
  [ "$(id -u)" != 0 ] || chown postgres "$1"
  as_postgres "$bin/initdb" -D "$1" -U postgres -A trust -E UTF8 --locale=C.UTF-8
  free_port
  cat >>"$1/postgresql.conf" <<CONF
port = $port
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_preload_libraries = 'citus'
wal_level = logical
max_connections = 200
max_prepared_transactions = 200
max_worker_processes = 64
fsync = off
citus.node_conninfo = 'sslmode=disable'
citus.recover_2pc_interval = '1min'
CONF
  # Releases that have the setting split no shard without it, and others do not start with it.
  if as_postgres "$bin/postgres" --describe-config | grep -q '^output_plugin_libraries'; then
    echo "output_plugin_libraries = 'pgoutput, citus'" >>"$1/postgresql.conf"
  fi
  port=$((port + 1))
}

nodes=(coordinator worker-1 worker-2 worker-3)
stop() {
  local node
  for node in "${nodes[@]}"; do
    as_postgres "$bin/pg_ctl" -s -D "$folder/$node" status >/dev/null 2>&1 || continue
    as_postgres "$bin/pg_ctl" -s -w -m fast -D "$folder/$node" stop
  done
  [ -n "${CLUSTER_DIR:-}" ] || rm -rf "$folder"
}

trap 'tail -n 20 "$folder"/*.log >&2' ERR
if ! installed; then
  echo "Building Citus $tag: see $folder/build.log"
  build >"$folder/build.log" 2>&1
fi
# From here on, however the run ends.
trap stop EXIT
trap 'exit 130' INT TERM
urls=()
for node in "${nodes[@]}"; do
  data=$folder/$node
  grep -qs '^shared_preload' "$data/postgresql.conf" || make_node "$data" >"$folder/$node.log" 2>&1
  as_postgres "$bin/pg_ctl" -s -D "$data" status >/dev/null || as_postgres "$bin/pg_ctl" -s -w -D "$data" -l "$data/log" start
  urls+=("postgres://postgres@127.0.0.1:$(sed -n 's/^port = //p' "$data/postgresql.conf")/postgres")
done
export TEST_DATABASE_URL=${urls[0]} TEST_CITUS_WORKERS=${urls[1]},${urls[2]} TEST_CITUS_SPARE_WORKER=${urls[3]}
trap - ERR
npm run -s jest -- "$@"
