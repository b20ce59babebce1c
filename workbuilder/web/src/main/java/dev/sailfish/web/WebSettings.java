package dev.sailfish.web;

import dev.sailfish.ground.config.HostPort;
import dev.sailfish.ground.config.Key;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.ground.wire.secret.SecretFile;
import dev.sailfish.ground.wire.tls.SslFile;
import dev.sailfish.ground.wire.tls.TlsContext;
import dev.sailfish.ground.wire.tls.TlsNetwork;
import dev.sailfish.web.rights.AccessList;
import dev.sailfish.web.rights.KerberosIdentity;
import dev.sailfish.web.rights.Rights;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of the web UI, checked. Files are read when their content is asked for; what cannot
 * be used is an IOException that names the key and the file.
 */
public final class WebSettings {
  private static final String REQUIRED = "required";

  private final Settings settings;

  private WebSettings(Settings settings) {
    this.settings = settings;
  }

  /**
   * Reads a properties file, and the files that it names.
   *
   * @throws IOException naming a file that cannot be used
   * @throws IllegalArgumentException naming the key that is wrong, and what is right
   */
  public static WebSettings read(Path file) throws IOException {
    return of(Settings.read(file));
  }

  /**
   * Checks settings, and reads the files that they name.
   *
   * @throws IOException naming a file that cannot be used
   * @throws IllegalArgumentException naming the key that is wrong, and what is right
   */
  static WebSettings of(Settings settings) throws IOException {
    WebKey.ALL.check(settings);
    WebSettings checked = new WebSettings(settings);
    if (checked.isTls() && !settings.isSet(WebKey.TLS_SERVER_FILE)) {
      throw settings.wrong(WebKey.TLS, "needs " + WebKey.TLS_SERVER_FILE);
    }
    if (checked.isTls() && !settings.isSet(WebKey.TLS_CLIENT_FILE)) {
      throw settings.wrong(WebKey.TLS, "needs " + WebKey.TLS_CLIENT_FILE);
    }
    checked.resourceManager();
    checked.historyServer();
    checked.daemons();
    checked.credentials();
    checked.network();
    checked.clientTls();
    checked.token();
    checked.daemonsToken();
    Rights.check(checked.rights());
    checked.serverTls();
    return checked;
  }

  /** Whether nobody is authenticated at servers. */
  public boolean isOpen() {
    return settings.get(WebKey.AUTHENTICATION).equals(Key.NONE);
  }

  /** Whether pages and API are HTTPS. */
  public boolean isTls() {
    return settings.get(WebKey.TLS).equals(REQUIRED);
  }

  String bind() {
    return settings.get(WebKey.BIND);
  }

  int port() {
    return settings.get(WebKey.PORT);
  }

  /** With which servers are asked. */
  Credentials credentials() throws IOException {
    if (isOpen()) {
      return Credentials.none();
    }
    Optional<Path> file = settings.get(WebKey.SECRET_FILE);
    if (file.isEmpty()) {
      throw new IOException(
          "authentication is not configured: set "
              + WebKey.SECRET_FILE
              + " to a file with the cluster's secret, or "
              + WebKey.AUTHENTICATION
              + "=none where servers authenticate nobody");
    }
    return Credentials.ofCluster(ClusterSecret.read(WebKey.SECRET_FILE.name(), file.get()));
  }

  /** Over which servers are asked. */
  Network network() throws IOException {
    return isTls()
        ? TlsNetwork.open(source(WebKey.TLS_CLIENT_FILE), file(WebKey.TLS_CLIENT_FILE))
        : Network.SOCKETS;
  }

  /** Whom HTTPS servers are to be known by; absent: whom the JVM trusts. */
  Optional<TlsContext> clientTls() throws IOException {
    return settings.isSet(WebKey.TLS_CLIENT_FILE)
        ? Optional.of(
            TlsContext.ofClient(source(WebKey.TLS_CLIENT_FILE), file(WebKey.TLS_CLIENT_FILE)))
        : Optional.empty();
  }

  /** What says where the key and certificate of the pages are. */
  SslFile serverFile() throws IOException {
    return file(WebKey.TLS_SERVER_FILE);
  }

  /** Key and certificate of the pages; absent: they are not HTTPS. */
  Optional<TlsContext> serverTls() throws IOException {
    return isTls()
        ? Optional.of(TlsContext.ofServer(source(WebKey.TLS_SERVER_FILE), serverFile()))
        : Optional.empty();
  }

  private SslFile file(Key<Optional<Path>> key) throws IOException {
    return SslFile.read(key.name(), settings.get(key).orElseThrow());
  }

  private String source(Key<Optional<Path>> key) {
    return key.name() + "=" + settings.get(key).orElseThrow();
  }

  /** Who may see what. */
  Rights.Terms rights() throws IOException {
    return new Rights.Terms(
        token(),
        kerberos(),
        AccessList.of(
            settings.get(WebKey.ADMINISTRATORS), settings.get(WebKey.ADMINISTRATORS_GROUPS)),
        settings.get(WebKey.ACLS).equals("on"),
        settings.get(WebKey.LOGIN_LIFETIME),
        settings.get(WebKey.GROUPS_CACHE));
  }

  /** Who the process is in Kerberos; absent: nobody. */
  Optional<KerberosIdentity> kerberos() {
    String principal = settings.get(WebKey.KERBEROS_PRINCIPAL);
    Optional<Path> keytab = settings.get(WebKey.KERBEROS_KEYTAB);
    if (principal.isEmpty() != keytab.isEmpty()) {
      throw settings.wrong(
          WebKey.KERBEROS_PRINCIPAL,
          "and " + WebKey.KERBEROS_KEYTAB + " are set both or not at all");
    }
    if (principal.isEmpty()) {
      return Optional.empty();
    }
    if (!principal.startsWith("HTTP/")) {
      throw settings.wrong(
          WebKey.KERBEROS_PRINCIPAL, "is not HTTP/host@REALM, for which browsers have tickets");
    }
    String rules = settings.get(WebKey.KERBEROS_RULES);
    try {
      KerberosIdentity.checkRules(rules);
    } catch (IllegalArgumentException e) {
      throw settings.wrong(WebKey.KERBEROS_RULES, "cannot be read: " + e.getMessage());
    }
    return Optional.of(
        new KerberosIdentity(principal, settings.get(WebKey.KERBEROS_CLIENT), keytab.get(), rules));
  }

  /** What opens everything; absent: nothing does. */
  Optional<byte[]> token() throws IOException {
    return token(WebKey.TOKEN_FILE);
  }

  /** What the pages of daemons ask for; absent: nothing. */
  Optional<byte[]> daemonsToken() throws IOException {
    return token(WebKey.DAEMONS_TOKEN_FILE);
  }

  private Optional<byte[]> token(Key<Optional<Path>> key) throws IOException {
    Optional<Path> file = settings.get(key);
    return file.isEmpty()
        ? Optional.empty()
        : Optional.of(SecretFile.read("web token", key.name(), file.get()));
  }

  List<InetSocketAddress> metaservers() {
    return addresses(WebKey.METASERVER_ADDRESS);
  }

  /** All lineage masters; empty: there is no store. */
  List<InetSocketAddress> lineageMasters() {
    return addresses(WebKey.LINEAGE_MASTERS);
  }

  private List<InetSocketAddress> addresses(Key<List<HostPort>> key) {
    return settings.get(key).stream().map(HostPort::unresolved).toList();
  }

  Optional<String> resourceManager() {
    return address(WebKey.RESOURCE_MANAGER);
  }

  Optional<String> historyServer() {
    return address(WebKey.HISTORY_SERVER);
  }

  private Optional<String> address(Key<String> key) {
    String text = settings.get(key);
    return text.isEmpty() ? Optional.empty() : Optional.of(address(key, text));
  }

  /** Further daemons: addresses of their pages by name. */
  Map<String, String> daemons() {
    Map<String, String> daemons = new LinkedHashMap<>();
    for (String daemon : settings.get(WebKey.DAEMONS)) {
      int equals = daemon.indexOf('=');
      if (equals < 1) {
        throw settings.wrong(
            WebKey.DAEMONS, "must be NAME=http[s]://host:port with commas between");
      }
      daemons.put(
          daemon.substring(0, equals).strip(),
          address(WebKey.DAEMONS, daemon.substring(equals + 1).strip()));
    }
    return daemons;
  }

  private String address(Key<?> key, String text) {
    try {
      URI uri = new URI(text);
      boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      boolean bare = uri.getPath() == null || uri.getPath().isEmpty() || uri.getPath().equals("/");
      if (web && bare && isPlace(uri) && uri.getQuery() == null) {
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
      }
    } catch (URISyntaxException e) {
      throw settings.wrong(key, "is wrong: " + e.getMessage());
    }
    throw settings.wrong(key, "must be http://host:port or https://host:port");
  }

  /** Whether it has host and port; what has an underscore in its name is no host to a URI. */
  private static boolean isPlace(URI uri) {
    try {
      HostPort.parse(String.valueOf(uri.getRawAuthority()));
      return true;
    } catch (IllegalArgumentException e) {
      return false; // the caller says what it has to be
    }
  }

  Optional<Path> historyDir() {
    return settings.get(WebKey.HISTORY_DIR);
  }

  int historyDays() {
    return settings.get(WebKey.HISTORY_DAYS);
  }

  long historyBytes() {
    return settings.get(WebKey.HISTORY_BYTES);
  }
}
