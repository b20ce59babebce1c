package dev.sailfish.ground.wire.tls;

import java.io.IOException;
import java.net.URLConnection;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;

/**
 * The keys and the trusted certificates of one side, read once. TLS 1.3 and nothing older: all
 * peers are Sailfish's own. Immutable; serves any number of connections and threads.
 */
public final class TlsContext {
  /** Whether clients prove with a certificate who they are; Hadoop's key. */
  public static final String REQUIRE_CLIENT_CERT = "hadoop.ssl.require.client.cert";

  /** How a client compares a server's certificate with its host name; Hadoop's key. */
  public static final String HOSTNAME_VERIFIER = "hadoop.ssl.hostname.verifier";

  private static final String[] PROTOCOLS = {"TLSv1.3"};

  private final SSLContext context;
  private final boolean client;
  private final boolean clientCertificates;
  private final boolean hostsVerified;
  private final Optional<Instant> certificateEnd;
  private final Optional<TrustManager> clientTrust;

  private TlsContext(
      SSLContext context,
      boolean client,
      boolean clientCertificates,
      boolean hostsVerified,
      Optional<Instant> certificateEnd,
      Optional<TrustManager> clientTrust) {
    this.certificateEnd = certificateEnd;
    this.clientTrust = clientTrust;
    this.context = context;
    this.client = client;
    this.clientCertificates = clientCertificates;
    this.hostsVerified = hostsVerified;
  }

  /**
   * A server's: {@code ssl.server.keystore.*}, and {@code ssl.server.truststore.*} when clients
   * must have certificates.
   *
   * @param source where the settings come from, for messages
   * @throws IOException naming the key that is missing or wrong, or the file that cannot be read
   */
  public static TlsContext ofServer(String source, SslSettings settings) throws IOException {
    boolean mutual = flag(source, settings, REQUIRE_CLIENT_CERT);
    KeyStoreFile own = KeyStoreFile.read(source, settings, "ssl.server.keystore");
    KeyManager[] keys = own.keys();
    TrustManager[] trusted =
        mutual
            ? KeyStoreFile.read(source, settings, "ssl.server.truststore").trusted()
            : new TrustManager[0];
    return new TlsContext(
        open(keys, trusted),
        false,
        mutual,
        false,
        own.certificateEnd(),
        Stream.of(trusted).findFirst());
  }

  /**
   * A client's: {@code ssl.client.truststore.*}, and {@code ssl.client.keystore.*} when clients
   * must have certificates.
   *
   * @param source where the settings come from, for messages
   * @throws IOException naming the key that is missing or wrong, or the file that cannot be read
   */
  public static TlsContext ofClient(String source, SslSettings settings) throws IOException {
    boolean mutual = flag(source, settings, REQUIRE_CLIENT_CERT);
    TrustManager[] trusted = KeyStoreFile.read(source, settings, "ssl.client.truststore").trusted();
    KeyManager[] keys =
        mutual
            ? KeyStoreFile.read(source, settings, "ssl.client.keystore").keys()
            : new KeyManager[0];
    return new TlsContext(
        open(keys, trusted),
        true,
        mutual,
        hostsVerified(source, settings),
        Optional.empty(),
        Optional.empty());
  }

  private static boolean flag(String source, SslSettings settings, String key) throws IOException {
    String value = settings.get(key);
    if (value == null || value.isEmpty() || value.equals("false")) {
      return false;
    }
    if (!value.equals("true")) {
      throw new IOException(key + "=" + value + " of " + source + " must be true or false");
    }
    return true;
  }

  private static boolean hostsVerified(String source, SslSettings settings) throws IOException {
    String value = settings.get(HOSTNAME_VERIFIER);
    if (value == null || value.isEmpty() || value.equals("DEFAULT") || value.equals("STRICT")) {
      return true;
    }
    if (!value.equals("ALLOW_ALL")) {
      throw new IOException(
          ("%s=%s of %s is not supported here: set it to DEFAULT, or to ALLOW_ALL to take a"
                  + " certificate of any host")
              .formatted(HOSTNAME_VERIFIER, value, source));
    }
    return false;
  }

  private static SSLContext open(KeyManager[] keys, TrustManager[] trusted) throws IOException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, trusted, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException("this JVM cannot do TLS: " + e, e);
    }
  }

  /**
   * Makes a connection that is not open yet use this client's keys and trust, with any version of
   * TLS that the JDK allows; nothing for one over plain HTTP.
   */
  public void applyTo(URLConnection connection) {
    if (connection instanceof HttpsURLConnection https) {
      https.setSSLSocketFactory(context.getSocketFactory());
      if (!hostsVerified) {
        https.setHostnameVerifier((host, session) -> true);
      }
    }
  }

  /**
   * When the first certificate ends of those that a server shows: its own, and those that it was
   * signed with; absent for a client.
   */
  public Optional<Instant> certificateEnd() {
    return certificateEnd;
  }

  /** What knows which certificates of a server's clients are good; absent: they need none. */
  public Optional<TrustManager> clientTrust() {
    return clientTrust;
  }

  /** The JDK's context, for its own clients. */
  public SSLContext context() {
    return context;
  }

  /**
   * An engine for one connection.
   *
   * @param host name by which a client knows the server: its certificate must be for it
   */
  public SSLEngine engine(String host, int port) {
    SSLEngine engine = context.createSSLEngine(host, port);
    engine.setUseClientMode(client);
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setProtocols(PROTOCOLS);
    if (client && hostsVerified) {
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
    }
    if (!client && clientCertificates) {
      parameters.setNeedClientAuth(true);
    }
    engine.setSSLParameters(parameters);
    return engine;
  }
}
