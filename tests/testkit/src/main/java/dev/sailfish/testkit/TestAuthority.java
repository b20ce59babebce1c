package dev.sailfish.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A certificate authority that lives as long as a test: makes keystores with the JDK's own keytool,
 * and Hadoop's ssl-*.xml files that name them. Each certificate costs one run of keytool, under a
 * second.
 */
public final class TestAuthority {
  /** The password of all keystores. */
  public static final String PASSWORD = "change-me";

  private static final String AUTHORITY = "authority";
  private static final String HERE = "san=ip:127.0.0.1,ip:127.0.0.2,dns:localhost";
  private static final long KEYTOOL_S = 60;

  private final Path directory;
  private final Path store;

  private TestAuthority(Path directory) {
    this.directory = directory;
    this.store = directory.resolve("authority.p12");
  }

  /** A new authority, which trusts nobody else; its files are in a directory that is there. */
  public static TestAuthority create(Path directory) throws IOException {
    TestAuthority authority = new TestAuthority(directory);
    authority.keytool(AUTHORITY, "-ext", "bc:c", "-ext", "ku:c=keyCertSign", "-validity", "30");
    authority.save(directory.resolve("trust.p12"), AUTHORITY, false);
    return authority;
  }

  /** A keystore with a certificate for this machine: 127.0.0.1, 127.0.0.2 and localhost. */
  public Path issue(String name) throws IOException {
    return issue(name, "-ext", HERE, "-validity", "30");
  }

  /** The same for another host. */
  public Path issueForOtherHost(String name) throws IOException {
    return issue(name, "-ext", "san=dns:elsewhere.example", "-validity", "30");
  }

  /** The same for this machine, but of last week. */
  public Path issueExpired(String name) throws IOException {
    return issue(name, "-ext", HERE, "-startdate", "-9d", "-validity", "2");
  }

  private Path issue(String name, String... options) throws IOException {
    List<String> signed = new ArrayList<>(List.of("-signer", AUTHORITY));
    signed.addAll(List.of(options));
    keytool(name, signed.toArray(String[]::new));
    Path file = directory.resolve(name + ".p12");
    save(file, name, true);
    return file;
  }

  /** The truststore that holds this authority and nobody else. */
  public Path trustStore() {
    return directory.resolve("trust.p12");
  }

  /**
   * An ssl-server.xml.
   *
   * @param keyStore the server's
   * @param mutual whether clients need certificates of this authority
   */
  public Path serverFile(Path keyStore, boolean mutual) throws IOException {
    return xml("ssl-server", "ssl.server", keyStore, mutual);
  }

  /** An ssl-client.xml of a client without a certificate. */
  public Path clientFile() throws IOException {
    return xml("ssl-client", "ssl.client", null, false);
  }

  /** An ssl-client.xml of a client with a certificate. */
  public Path clientFile(Path keyStore) throws IOException {
    return xml("ssl-client", "ssl.client", keyStore, true);
  }

  private Path xml(String name, String prefix, Path keyStore, boolean mutual) throws IOException {
    StringBuilder text = new StringBuilder("<?xml version=\"1.0\"?>\n<configuration>\n");
    if (keyStore != null) {
      put(text, prefix + ".keystore.location", keyStore.toString());
      put(text, prefix + ".keystore.password", PASSWORD);
      put(text, prefix + ".keystore.type", "PKCS12");
    }
    put(text, prefix + ".truststore.location", trustStore().toString());
    put(text, prefix + ".truststore.password", PASSWORD);
    put(text, prefix + ".truststore.type", "PKCS12");
    put(text, "hadoop.ssl.require.client.cert", Boolean.toString(mutual));
    Path file = Files.createTempFile(directory, name, ".xml");
    return Files.writeString(file, text.append("</configuration>\n"));
  }

  private static void put(StringBuilder text, String key, String value) {
    text.append("<property><name>")
        .append(key)
        .append("</name><value>")
        .append(value)
        .append("</value></property>\n");
  }

  /** What a daemon is told so that it speaks TLS, and takes no peer without. */
  public Map<String, String> daemon(String prefix, Path serverFile, Path clientFile) {
    return Map.of(
        prefix + "tls",
        "required",
        prefix + "tls.server.file",
        serverFile.toString(),
        prefix + "tls.client.file",
        clientFile.toString());
  }

  private void keytool(String alias, String... options) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin/keytool").toString(),
                "-J-XX:TieredStopAtLevel=1"));
    command.addAll(
        List.of("-genkeypair", "-alias", alias, "-dname", "CN=" + alias, "-keyalg", "EC"));
    command.addAll(List.of("-groupname", "secp256r1", "-storetype", "PKCS12"));
    command.addAll(List.of("-keystore", store.toString(), "-storepass", PASSWORD));
    command.addAll(List.of(options));
    Path log = directory.resolve("keytool-" + alias + ".log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      if (!process.waitFor(KEYTOOL_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IOException(command + " failed: " + Files.readString(log));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while keytool ran");
    } finally {
      process.destroyForcibly();
    }
  }

  /** Copies one entry to a keystore of its own: with its key, or its certificate alone. */
  private void save(Path file, String alias, boolean withKey) throws IOException {
    char[] password = PASSWORD.toCharArray();
    try (InputStream in = Files.newInputStream(store);
        OutputStream out = Files.newOutputStream(file)) {
      KeyStore all = KeyStore.getInstance("PKCS12");
      all.load(in, password);
      KeyStore one = KeyStore.getInstance("PKCS12");
      one.load(null, password);
      if (withKey) {
        Certificate[] chain = all.getCertificateChain(alias);
        one.setKeyEntry(alias, all.getKey(alias, password), password, chain);
      } else {
        one.setCertificateEntry(alias, all.getCertificate(alias));
      }
      one.store(out, password);
    } catch (GeneralSecurityException e) {
      throw new IOException("keystore " + file + " cannot be written: " + e, e);
    }
  }
}
