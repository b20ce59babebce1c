package dev.sailfish.web;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The configuration keys of the web UI. */
public final class WebKey {
  /** All of them. */
  public static final KeySet ALL = new KeySet("sailfish.web.");

  static final Key<String> BIND = ALL.text("bind", "0.0.0.0", "address to listen on");
  static final Key<Integer> PORT =
      ALL.number("port", "19880", "0..65535", "port of pages and API; 0 = any free one");
  static final Key<Optional<Path>> TOKEN_FILE =
      ALL.path(
          "token.file",
          "",
          "file with the token, mode 0600, that requests must bear, as `Authorization: Bearer TOKEN`,"
              + " as password, or by a login on the page; who bears it sees everything. Empty: nobody"
              + " does, and without Kerberos anyone may see everything");
  static final Key<String> KERBEROS_PRINCIPAL =
      ALL.text(
          "kerberos.principal",
          "",
          "who the pages are for browsers with Kerberos, HTTP/host@REALM; `_HOST` stands for this"
              + " host's canonical name; empty: users cannot log in");
  static final Key<Optional<Path>> KERBEROS_KEYTAB =
      ALL.path("kerberos.keytab", "", "file with the keys of the web process's principals");
  static final Key<String> KERBEROS_CLIENT =
      ALL.text(
          "kerberos.client.principal",
          "",
          "as whom the process asks a ResourceManager and a history server that want Kerberos, with"
              + " a key in the same file; it has to be an administrator there; empty:"
              + " `kerberos.principal`");
  static final Key<String> KERBEROS_RULES =
      ALL.text(
          "kerberos.auth.to.local",
          "DEFAULT",
          "how short names are made of users' principals, as YARN's hadoop.security.auth_to_local"
              + " has it; `DEFAULT`: the first part of principals of the own realm");
  static final Key<String> ACLS =
      ALL.word(
          "acls",
          "on",
          "on|off",
          "`on`: a user sees his own jobs, and those whose mapreduce.job.acl-view-job names him or"
              + " one of his groups; `off`: users see all jobs, as where YARN has"
              + " mapreduce.cluster.acls.enabled=false");
  static final Key<List<String>> ADMINISTRATORS =
      ALL.list(
          "administrators",
          "",
          "users who see everything, with commas between, as in mapreduce.cluster.administrators");
  static final Key<List<String>> ADMINISTRATORS_GROUPS =
      ALL.list(
          "administrators.groups", "", "groups whose users see everything, with commas between");
  static final Key<Duration> GROUPS_CACHE =
      ALL.duration(
          "groups.cache",
          "5min",
          "1s..1d",
          "for how long what this host says of a user's groups counts (`id -Gn USER`)");
  static final Key<Duration> LOGIN_LIFETIME =
      ALL.duration("login.lifetime", "10h", "1s..30d", "how long a login in a browser counts");
  static final Key<List<HostPort>> METASERVER_ADDRESS =
      ALL.addresses(
          "metaserver.address",
          "localhost:19850",
          "",
          "where the metaserver is, or all of them with commas between");
  static final Key<String> RESOURCE_MANAGER =
      ALL.text(
          "resourcemanager",
          "",
          "http[s]://host:port of the ResourceManager's web server; empty: what YARN knows of jobs is"
              + " not shown");
  static final Key<String> HISTORY_SERVER =
      ALL.text(
          "historyserver",
          "",
          "http[s]://host:port of the job history server; empty: of a job that has ended only that is"
              + " shown which was seen while it ran");
  static final Key<List<HostPort>> LINEAGE_MASTERS =
      ALL.addresses(
          "lineage.masters",
          Key.NONE,
          Key.NONE,
          "where the lineage master is, or all of them with commas between; `none`: the store is not"
              + " shown");
  static final Key<List<String>> DAEMONS =
      ALL.list(
          "daemons",
          "",
          "web addresses of further daemons to be shown, NAME=http[s]://host:port with commas between;"
              + " metaservers and chunkservers that have a job's data are found without");
  static final Key<Optional<Path>> DAEMONS_TOKEN_FILE =
      ALL.path(
          "daemons.token.file",
          "",
          "file with the token, mode 0600, that the daemons' /status asks for; empty: it asks for"
              + " none");
  static final Key<String> AUTHENTICATION =
      ALL.word(
          "authentication",
          "",
          "secret|none",
          "`secret`: servers are asked with the cluster secret, and a report of an ApplicationMaster"
              + " must be signed with its job's key; `none`: servers authenticate nobody, and"
              + " anyone may report; empty: secret");
  static final Key<Optional<Path>> SECRET_FILE =
      ALL.path(
          "cluster.secret.file",
          "",
          "file with the secret that the cluster's daemons share, mode 0600");
  static final Key<String> TLS =
      ALL.word(
          "tls",
          Key.NONE,
          "required|none",
          "`required`: HTTPS for pages and API, and TLS towards Sailfish's servers; `none`: nothing is"
              + " encrypted");
  static final Key<Optional<Path>> TLS_SERVER_FILE =
      ALL.path(
          "tls.server.file",
          "",
          "file in the format of Hadoop's ssl-server.xml: where the key and certificate of the pages"
              + " are; needed with TLS");
  static final Key<Optional<Path>> TLS_CLIENT_FILE =
      ALL.path(
          "tls.client.file",
          "",
          "file in the format of Hadoop's ssl-client.xml: which servers are trusted; needed with TLS,"
              + " and used for https addresses of YARN without");
  static final Key<Optional<Path>> HISTORY_DIR =
      ALL.path(
          "history.dir",
          "",
          "directory of the database of jobs that have ended; empty: it is in memory, and goes with"
              + " the process");
  static final Key<Integer> HISTORY_DAYS =
      ALL.number("history.days", "30", "1..3650", "after how many days an ended job goes");
  static final Key<Long> HISTORY_BYTES =
      ALL.size(
          "history.bytes",
          "1g",
          "16m..1t",
          "what the database may take on disk, about; the oldest jobs go");

  private WebKey() {}
}
