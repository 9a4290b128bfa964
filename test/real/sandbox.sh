#!/bin/sh
# Runs a command as a user of an empty machine: loopback is its only network, /home/user (the folder FOLDER) its only
# home, and every process that it started ends with it. Usage: sandbox.sh FOLDER COMMAND [ARGUMENT ...]
set -eu
folder=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
shift
mkdir -p "$folder"
exec unshare --net --mount --uts --pid --fork --kill-child --mount-proc sh -c '
  set -e
  folder=$1
  shift
  ip link set lo up
  hostname box
  mount -t tmpfs none /home
  mkdir -p /home/user
  mount --bind "$folder" /home/user
  export HOME=/home/user USER=user LOGNAME=user
  cd /home/user
  exec "$@"' "$here" "$folder" "$@"
