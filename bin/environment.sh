# shellcheck shell=bash
# What the scripts beside this file have in common; they source it. It sets
#   root    directory of the source tree, or of an unpacked distribution
#   lib     directory with Sailfish's jars: of a distribution, or where the build lays them out
#   conf    directory with jvm.options and, if it is there, logback.xml
#   java    a JDK of version 17 or newer
#   flags   of every JVM (an array)
#
# Environment:
#   JAVA_HOME          the JDK to use; otherwise the java on the PATH
#   SAILFISH_CONF_DIR  a directory to take the place of conf

fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
lib=$root/lib
is_distribution() { [ -d "$root/lib" ]; }
is_distribution || lib=$root/hadoop-plugin/cli/target/dist/sailfish/lib
conf=${SAILFISH_CONF_DIR:-$root/conf}

if [ -n "${JAVA_HOME:-}" ]; then
  java=$JAVA_HOME/bin/java
  [ -x "$java" ] || fail "JAVA_HOME=$JAVA_HOME holds no bin/java; set it to a JDK 17 or newer"
else
  java=$(command -v java) || fail "no java on the PATH; install a JDK 17 or newer, or set JAVA_HOME"
fi
version=$("$java" -XshowSettings:properties -version 2>&1 |
  sed -n 's/^ *java\.specification\.version = //p')
case "$version" in
  '' | 1.* | *[!0-9]*) fail "$java is Java '$version', but 17 or newer is needed; set JAVA_HOME" ;;
esac
[ "$version" -ge 17 ] || fail "$java is Java $version, but 17 or newer is needed; set JAVA_HOME"

[ -r "$conf/jvm.options" ] || fail "$conf/jvm.options cannot be read; it is in the conf directory of a distribution"
# Adds the flags in a file of conf to flags; a directory of an operator's need not have it.
add_flags() { # file
  [ ! -r "$conf/$1" ] || mapfile -t -O "${#flags[@]}" flags < <(grep -v -E '^[[:space:]]*(#|$)' "$conf/$1")
}
flags=()
add_flags jvm.options

# For daemons that mount Hadoop's file systems: its configuration and its jars, after Sailfish's own.
hadoop_classpath() {
  local path=${HADOOP_CONF_DIR:+:$HADOOP_CONF_DIR}
  if [ -n "${SAILFISH_HADOOP_LIB:-}" ]; then
    [ -d "$SAILFISH_HADOOP_LIB" ] || fail "SAILFISH_HADOOP_LIB=$SAILFISH_HADOOP_LIB is no directory"
    path+=":$SAILFISH_HADOOP_LIB/*"
  fi
  echo "$path"
}

# Becomes a daemon, in the foreground: a supervisor's signals are the JVM's.
run_daemon() { # heap, main class, arguments; the caller may have added to flags
  local heap=$1 main=$2
  shift 2
  [ -d "$lib" ] || fail "Sailfish is not built: run mvn -DskipTests package in $root"
  # What is set in jvm.options or SAILFISH_JAVA_OPTS counts: it comes later.
  flags=("-Xmx$heap" "${flags[@]}")
  if [ -e "$conf/logback.xml" ]; then
    flags+=("-Dlogback.configurationFile=$conf/logback.xml")
  fi
  if [ -n "${SAILFISH_LOG_DIR:-}" ] && [ "${1:-}" != --check-config ]; then
    [ -d "$SAILFISH_LOG_DIR" ] && [ -w "$SAILFISH_LOG_DIR" ] ||
      fail "SAILFISH_LOG_DIR=$SAILFISH_LOG_DIR is no directory that $(id -un) may write to"
    flags+=("-Dsailfish.log.file=$SAILFISH_LOG_DIR/${0##*/}.log")
  fi
  # shellcheck disable=SC2086
  exec "$java" "${flags[@]}" ${SAILFISH_JAVA_OPTS:-} -cp "$lib/*${more_classpath:-}" "$main" "$@"
}
