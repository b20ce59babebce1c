package dev.sailfish.ground.server.racks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RackResolverTest {
  @TempDir private Path directory;

  private static Path script(Path directory, String body) throws IOException {
    Path script = Files.writeString(directory.resolve("topology.sh"), "#!/bin/sh\n" + body + "\n");
    return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
  }

  // ---- static map
  // --------------------------------------------------------------------------------

  @Test
  void readsAList() {
    RackMap racks = RackMap.ofList("Host1=/a, host2 = /b ,", "some.racks");
    assertThat(racks.resolve("host1")).isEqualTo("/a");
    assertThat(racks.known("HOST2")).isEqualTo("/b");
    assertThat(racks.known("host3")).isEqualTo("/default-rack");
    assertThat(RackMap.ofList("", "some.racks").known("host1")).isEqualTo("/default-rack");
  }

  @Test
  void readsAFile() throws IOException {
    Path file = Files.writeString(directory.resolve("racks"), "# ours\n\nh1=/a\n127.0.0.1=/b\n");
    RackMap racks = RackMap.ofFile(file, "some.racks.file");
    assertThat(racks.known("h1")).isEqualTo("/a");
    assertThat(racks.known("127.0.0.1")).isEqualTo("/b");
  }

  @Test
  void refusesAPairThatIsNone() {
    for (String pair : new String[] {"h1", "h1=", "=/a"}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> RackMap.ofList("h0=/x," + pair, "some.racks"))
          .withMessage("some.racks: '" + pair + "' is not host=rack");
    }
  }

  @Test
  void refusesAFileThatIsMissing() {
    assertThatThrownBy(() -> RackMap.ofFile(directory.resolve("none"), "some.racks.file"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("some.racks.file=")
        .hasMessageContaining("cannot be read");
  }

  // ---- script
  // ------------------------------------------------------------------------------------

  private TopologyScript open(String body) throws IOException {
    return TopologyScript.open(script(directory, body), 5000, "some.racks.script");
  }

  @Test
  void asksTheScriptOnceForEachHost() throws IOException {
    Path asked = directory.resolve("asked");
    TopologyScript racks = open("echo $1 >> " + asked + "; echo /rack-of-$1");
    assertThat(racks.known("localhost")).isNull();
    assertThat(racks.resolve("localhost")).isEqualTo("/rack-of-127.0.0.1");
    assertThat(racks.known("localhost")).isEqualTo("/rack-of-127.0.0.1");
    assertThat(racks.resolve("localhost")).isEqualTo("/rack-of-127.0.0.1");
    assertThat(racks.resolve("no.such.host.invalid")).isEqualTo("/rack-of-no.such.host.invalid");
    assertThat(Files.readAllLines(asked))
        .containsExactly("127.0.0.1", "127.0.0.1", "no.such.host.invalid");
  }

  @Test
  void takesAnEmptyAnswerAsTheDefaultRack() throws IOException {
    assertThat(open("true").resolve("127.0.0.3")).isEqualTo("/default-rack");
  }

  @Test
  void takesTheFirstWord() throws IOException {
    assertThat(open("echo; echo '  /a  /b'; echo noise >&2").resolve("127.0.0.3")).isEqualTo("/a");
  }

  @Test
  void refusesABadScriptAtStart() throws IOException {
    assertThatThrownBy(
            () -> TopologyScript.open(directory.resolve("none.sh"), 1000, "some.racks.script"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("some.racks.script=")
        .hasMessageContaining("there is no such file");
    Path plain = Files.writeString(directory.resolve("plain"), "echo /a");
    assertThatThrownBy(() -> TopologyScript.open(plain, 1000, "some.racks.script"))
        .hasMessageContaining("not executable; chmod +x it");
    assertThatThrownBy(() -> open("exit 3")).hasMessageContaining("exit code 3");
    Path odd = script(directory, "");
    Files.writeString(odd, "#!/no/such/interpreter\n");
    assertThatThrownBy(() -> TopologyScript.open(odd, 1000, "some.racks.script"))
        .hasMessageContaining("cannot be started");
  }

  @Test
  void endsAScriptThatTakesTooLong() throws IOException {
    long start = System.nanoTime();
    for (String body : new String[] {"sleep 60", "echo /a; exec >&-; sleep 60"}) {
      Path slow = script(directory, body);
      assertThatThrownBy(() -> TopologyScript.open(slow, 300, "some.racks.script"))
          .hasMessageContaining("did not end in 300 ms");
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
  }

  @Test
  void goesOnWhenTheScriptFailsLater() throws IOException {
    TopologyScript racks = open("[ $1 = 127.0.0.1 ] && echo /a");
    assertThat(racks.resolve("127.0.0.2")).isEqualTo("/default-rack");
    assertThat(racks.known("127.0.0.2")).isEqualTo("/default-rack");
    assertThat(racks.resolve("127.0.0.1")).isEqualTo("/a");
  }
}
