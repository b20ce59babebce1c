package dev.sailfish.ground.server;

import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.KeySet;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The keys that every server has, for its pages and for who may connect.
 *
 * @param prefix what their names begin with
 */
public record ServerKeys(
    String prefix,
    Key<Integer> webPort,
    Key<Optional<Path>> webTokenFile,
    Key<String> authentication,
    Key<Optional<Path>> secretFile,
    Key<String> tls,
    Key<Optional<Path>> tlsServerFile,
    Key<Optional<Path>> tlsClientFile) {

  /** Declares them, with a default of the port. */
  public static ServerKeys of(KeySet keys, String webPort) {
    return new ServerKeys(
        keys.prefix(),
        keys.number(
            "web.port",
            webPort,
            "0..65535",
            "port of /health, /ready, /metrics, /status; 0 = any free one"),
        keys.path(
            "web.token.file",
            "",
            "file with the token, mode 0600, that requests of /metrics and /status must bear, as"
                + " `Authorization: Bearer TOKEN` or as password; empty: anyone may see them"),
        keys.word(
            "authentication",
            "",
            "secret|none",
            "`secret`: who connects must prove to know the cluster secret or a job's key; `none`:"
                + " anyone may do everything; empty: secret, and without a secret file the server"
                + " does not start"),
        keys.path(
            "cluster.secret.file",
            "",
            "file with the secret that the cluster's daemons share, mode 0600"),
        keys.word(
            "tls",
            Key.NONE,
            "required|none",
            "`required`: TLS on both ports and towards other servers; `none`: nothing is"
                + " encrypted"),
        keys.path(
            "tls.server.file",
            "",
            "file in the format of Hadoop's ssl-server.xml: where the server's key and certificate"
                + " are"),
        keys.path(
            "tls.client.file",
            "",
            "file in the format of Hadoop's ssl-client.xml: which servers this one trusts; needed"
                + " with TLS where it connects to any"));
  }
}
