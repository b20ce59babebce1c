package dev.sailfish.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.metaserver.Metaserver;
import dev.sailfish.metaserver.MetaserverConfig;
import dev.sailfish.testkit.FreePort;
import dev.sailfish.testkit.TestAuthority;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(60)
class HealthCommandTest {
  private static final String HOST = "127.0.0.1";
  private static final String PREFIX = "sailfish.metaserver.";

  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final String web = HOST + ":" + FreePort.next();

  private Metaserver start(Map<String, String> more) throws IOException {
    Map<String, String> settings = new TreeMap<>(more);
    settings.put(PREFIX + "host", HOST);
    settings.put(PREFIX + "port", "0");
    settings.put(PREFIX + "web.port", web.substring(web.indexOf(':') + 1));
    settings.put(PREFIX + "journal.dir", "none");
    settings.put(PREFIX + "authentication", "none");
    return Metaserver.start(MetaserverConfig.of(settings));
  }

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    CommandLine line = Sailfish.commandLine("health");
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String[] all = new String[arguments.length + 1];
    all[0] = "health";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return line.execute(all);
  }

  @Test
  void tellsWhetherADaemonServesAndWhatItWaitsFor() throws IOException {
    try (Metaserver metaserver = start(Map.of())) {
      assertThat(metaserver.place()).endsWith("web=" + web.substring(web.indexOf(':') + 1));
      assertThat(run("--serving", web)).isZero();
      assertThat(out).hasToString(web + " is serving.\n");
      assertThat(run(web)).isEqualTo(1);
      assertThat(out)
          .hasToString(web + " is not ready: chunkservers: no chunkserver is registered.\n");
    }
    assertThat(run(web)).isEqualTo(1);
    assertThat(out).hasToString(web + " does not answer: no connection.\n");
  }

  @Test
  void asksOverTlsWhomTheFileTrusts() throws IOException {
    TestAuthority authority = TestAuthority.create(Files.createDirectory(directory.resolve("ca")));
    Path clientFile = authority.clientFile();
    Path serverFile = authority.serverFile(authority.issue("server"), false);
    try (Metaserver metaserver = start(authority.daemon(PREFIX, serverFile, clientFile))) {
      assertThat(metaserver.place()).startsWith(HOST);
      assertThat(run("--serving", "--tls-client-file", clientFile.toString(), web)).isZero();
      assertThat(run("--serving", web)).isEqualTo(1);
      assertThat(out.toString()).startsWith(web + " is not serving: this port speaks HTTPS");
    }
  }

  @Test
  void whatIsNoAddressIsTold() {
    assertThat(run("nowhere")).isEqualTo(1);
    assertThat(err.toString()).contains("nowhere is not HOST:PORT: write, for instance, localhost");
  }
}
