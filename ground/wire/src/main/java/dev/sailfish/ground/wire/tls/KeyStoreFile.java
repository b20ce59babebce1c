package dev.sailfish.ground.wire.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.UnrecoverableKeyException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** One keystore or truststore, as the keys that begin with its prefix describe it. */
final class KeyStoreFile {
  private static final String DEFAULT_TYPE = "jks";

  private final String source;
  private final SslSettings settings;
  private final String prefix;
  private final String location;
  private final KeyStore store;
  private final char[] password;

  private KeyStoreFile(
      String source,
      SslSettings settings,
      String prefix,
      String location,
      KeyStore store,
      char[] password) {
    this.source = source;
    this.settings = settings;
    this.prefix = prefix;
    this.location = location;
    this.store = store;
    this.password = password;
  }

  /**
   * Reads it.
   *
   * @param source where the settings come from, for messages
   * @param prefix of its keys, for instance {@code ssl.server.keystore}
   */
  static KeyStoreFile read(String source, SslSettings settings, String prefix) throws IOException {
    String location = settings.get(prefix + ".location");
    if (location == null || location.isEmpty()) {
      throw new IOException(prefix + ".location is not set in " + source + ", and TLS needs it");
    }
    String type = settings.get(prefix + ".type");
    char[] password = chars(settings.get(prefix + ".password"));
    try (InputStream in = Files.newInputStream(Path.of(location))) {
      KeyStore store = KeyStore.getInstance(type == null || type.isEmpty() ? DEFAULT_TYPE : type);
      store.load(in, password);
      return new KeyStoreFile(source, settings, prefix, location, store, password);
    } catch (GeneralSecurityException | IOException | InvalidPathException e) {
      String why =
          e.getCause() instanceof UnrecoverableKeyException
              ? prefix + ".password is not its password"
              : e.toString();
      throw new IOException(
          prefix + ".location=" + location + " of " + source + " cannot be read: " + why, e);
    }
  }

  private static char[] chars(String text) {
    return text == null || text.isEmpty() ? null : text.toCharArray();
  }

  /** What proves who this side is. */
  KeyManager[] keys() throws IOException {
    String own = settings.get(prefix + ".keypassword");
    char[] keyPassword = own == null || own.isEmpty() ? password : own.toCharArray();
    try {
      boolean any = false;
      for (String alias : Collections.list(store.aliases())) {
        any |= store.isKeyEntry(alias);
      }
      if (!any) {
        throw new IOException(nothing("a key with its certificate"));
      }
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(store, keyPassword);
      return factory.getKeyManagers();
    } catch (GeneralSecurityException e) {
      throw new IOException(
          "the keys in %s.location=%s of %s cannot be used, is %s.keypassword right? %s"
              .formatted(prefix, location, source, prefix, e),
          e);
    }
  }

  /** When the first of the certificates that come with its keys ends; empty: there is none. */
  Optional<Instant> certificateEnd() throws IOException {
    Optional<Instant> first = Optional.empty();
    try {
      for (String alias : Collections.list(store.aliases())) {
        Certificate[] chain = store.getCertificateChain(alias);
        for (Certificate one : chain == null ? new Certificate[0] : chain) {
          Instant end = one instanceof X509Certificate x509 ? x509.getNotAfter().toInstant() : null;
          if (end != null && (first.isEmpty() || end.isBefore(first.get()))) {
            first = Optional.of(end);
          }
        }
      }
    } catch (KeyStoreException e) {
      throw new IOException(
          "the certificates in " + prefix + ".location=" + location + " cannot be read: " + e, e);
    }
    return first;
  }

  /** What knows whom to trust. */
  TrustManager[] trusted() throws IOException {
    try {
      boolean any = false;
      for (String alias : Collections.list(store.aliases())) {
        any |= store.isCertificateEntry(alias);
      }
      if (!any) {
        throw new IOException(nothing("a trusted certificate"));
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return factory.getTrustManagers();
    } catch (GeneralSecurityException e) {
      throw new IOException(
          "the certificates in " + prefix + ".location=" + location + " cannot be used: " + e, e);
    }
  }

  private String nothing(String what) {
    return "%s.location=%s of %s does not hold %s%s"
        .formatted(
            prefix,
            location,
            source,
            what,
            password == null ? "; perhaps because " + prefix + ".password is not set" : "");
  }
}
