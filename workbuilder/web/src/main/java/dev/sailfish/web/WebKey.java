package dev.sailfish.web;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import java.nio.file.Path;
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
              + " as password, or by a login on the page; empty: anyone may see everything");
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
