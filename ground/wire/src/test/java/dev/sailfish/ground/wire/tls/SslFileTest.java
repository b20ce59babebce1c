package dev.sailfish.ground.wire.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.testkit.TestAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hadoop's ssl-*.xml files and the keystores they name: what is taken, and what is refused how. */
class SslFileTest {
  @TempDir static Path directory;
  private static TestAuthority authority;
  private static Path keys;

  @BeforeAll
  static void makeKeys() throws IOException {
    authority = TestAuthority.create(directory);
    keys = authority.issue("server");
  }

  private static SslFile file(String content) throws IOException {
    Path file = Files.createTempFile(directory, "ssl", ".xml");
    Files.writeString(file, content);
    return SslFile.read("some.key", file);
  }

  private static SslFile properties(String... keysAndValues) throws IOException {
    StringBuilder text = new StringBuilder("<configuration>");
    for (int i = 0; i < keysAndValues.length; i += 2) {
      text.append("<property><name>")
          .append(keysAndValues[i])
          .append("</name><value>")
          .append(keysAndValues[i + 1])
          .append("</value></property>");
    }
    return file(text.append("</configuration>").toString());
  }

  private static void refuses(String words, String content) {
    assertThatThrownBy(() -> file(content))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("some.key=")
        .hasMessageContaining(words);
  }

  @Test
  void shouldReadWhatHadoopWrites() throws IOException {
    SslFile file =
        file(
            "<?xml version=\"1.0\"?>\n<?xml-stylesheet type=\"text/xsl\""
                + " href=\"configuration.xsl\"?>\n<!-- ours -->\n<configuration>\n <property>\n"
                + "  <name>ssl.client.truststore.location</name>\n  <value> /a/b </value>\n"
                + "  <description>where &lt;it&gt; is</description>\n  <final>true</final>\n"
                + " </property>\n <property><name>empty</name><value/></property>\n"
                + "</configuration>\n");
    assertThat(file.get("ssl.client.truststore.location")).isEqualTo("/a/b");
    assertThat(file.get("empty")).isEmpty();
    assertThat(file.get("missing")).isEmpty();
  }

  @Test
  void shouldRefuseWhatIsNoConfiguration() {
    refuses("is not the XML", "no xml");
    refuses("is not the XML", "");
    refuses("begins with <html>", "<html/>");
    refuses("only <property>", "<configuration><include href='x'/></configuration>");
    assertThatThrownBy(() -> SslFile.read("some.key", directory.resolve("missing")))
        .hasMessageContaining("some.key=" + directory.resolve("missing") + " is no file");
  }

  /** Entities can fetch other files, and can grow without bounds. */
  @Test
  void shouldRefuseEntities() {
    refuses(
        "DOCTYPE",
        "<!DOCTYPE configuration [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>"
            + "<configuration><property><name>a</name><value>&x;</value></property></configuration>");
  }

  @Test
  void shouldRefuseWhatOnlyHadoopKnows() throws IOException {
    SslFile file =
        properties(
            "ssl.server.keystore.location",
            "${user.home}/keys",
            "hadoop.security.credential.provider.path",
            "jceks://file/a");
    assertThatThrownBy(() -> file.get("ssl.server.keystore.location"))
        .hasMessageContaining("variables are not replaced");
    assertThatThrownBy(() -> file.get("ssl.server.keystore.password"))
        .hasMessageContaining("credential providers")
        .hasMessageContaining("are not supported");
    assertThat(file.get("ssl.server.keystore.type")).isEmpty();
  }

  private static void serverRefuses(String words, String... keysAndValues) throws IOException {
    SslFile file = properties(keysAndValues);
    assertThatThrownBy(() -> TlsContext.ofServer("the file", file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(words)
        .hasMessageContaining("the file");
  }

  @Test
  void shouldNameTheKeyThatIsWrong() throws IOException {
    String location = "ssl.server.keystore.location";
    String password = "ssl.server.keystore.password";
    serverRefuses("ssl.server.keystore.location is not set");
    serverRefuses("NoSuchFileException", location, "/does/not/exist");
    serverRefuses("ssl.server.keystore.password is not", location, keys + "", password, "wrong");
    serverRefuses(
        "does not hold a key",
        location,
        authority.trustStore().toString(),
        password,
        TestAuthority.PASSWORD);
    serverRefuses(
        "must be true or false",
        "hadoop.ssl.require.client.cert",
        "maybe",
        location,
        keys.toString(),
        password,
        TestAuthority.PASSWORD);
    serverRefuses(
        "ssl.server.truststore.location is not set",
        "hadoop.ssl.require.client.cert",
        "true",
        location,
        keys.toString(),
        password,
        TestAuthority.PASSWORD);
  }

  @Test
  void clientShouldNeedSomebodyToTrust() throws IOException {
    SslFile noTrust =
        properties(
            "ssl.client.truststore.location",
            keys.toString(),
            "ssl.client.truststore.password",
            TestAuthority.PASSWORD);
    assertThatThrownBy(() -> TlsContext.ofClient("the file", noTrust))
        .hasMessageContaining("does not hold a trusted certificate");
    SslFile verifier =
        properties(
            "ssl.client.truststore.location",
            authority.trustStore().toString(),
            "ssl.client.truststore.password",
            TestAuthority.PASSWORD,
            "hadoop.ssl.hostname.verifier",
            "STRICT_IE6");
    assertThatThrownBy(() -> TlsContext.ofClient("the file", verifier))
        .hasMessageContaining("hadoop.ssl.hostname.verifier=STRICT_IE6 of the file");
  }
}
