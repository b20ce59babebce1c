package dev.sailfish.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.system.SailfishCommand.Result;
import dev.sailfish.testkit.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A local cluster that speaks TLS: an unchanged job on real YARN, and the commands. */
@Tag("long")
class TlsYarnTest {
  private static final Duration DEADLINE = Duration.ofMinutes(4);

  @TempDir Path temporary;

  @Test
  void jobsAndCommandsShouldSpeakTls() throws Exception {
    TestAuthority authority =
        TestAuthority.create(Files.createDirectory(temporary.resolve("keys")));
    Path server = authority.serverFile(authority.issue("server"), false);
    Path client = authority.clientFile();
    SailfishCommand sailfish = new SailfishCommand(temporary);
    sailfish.succeed(
        DEADLINE,
        "start",
        "-Dsailfish.metaserver.tls=required",
        "-Dsailfish.metaserver.tls.server.file=" + server,
        "-Dsailfish.chunkserver.tls=required",
        "-Dsailfish.chunkserver.tls.server.file=" + server,
        "-Dsailfish.chunkserver.tls.client.file=" + client);
    try {
      runJobs(sailfish);
    } finally {
      sailfish.succeed(DEADLINE, "stop");
    }
  }

  private void runJobs(SailfishCommand sailfish) throws Exception {
    assertThat(sailfish.succeed(DEADLINE, "status").output())
        .contains("https://")
        .doesNotContain("does not tell its counters");
    Path input = temporary.resolve("input");
    Files.writeString(input, words());
    for (String shuffle : List.of("stock", "sailfish")) {
      sailfish.succeed(
          DEADLINE,
          "jar",
          "--shuffle",
          shuffle,
          "-Dmapreduce.job.reduces=2",
          sailfish.examples().toString(),
          "wordcount",
          input.toString(),
          temporary.resolve(shuffle).toString());
    }
    assertThat(OutputFiles.read(temporary.resolve("sailfish")))
        .isNotEmpty()
        .isEqualTo(OutputFiles.read(temporary.resolve("stock")));
    sailfish.succeed(DEADLINE, "ifile", "ls");
    Result plain =
        sailfish.run(
            DEADLINE,
            List.of(
                "jar",
                "--shuffle",
                "sailfish",
                "-Dsailfish.tls=false",
                "-Dmapreduce.map.maxattempts=2",
                sailfish.examples().toString(),
                "wordcount",
                input.toString(),
                temporary.resolve("plain").toString()));
    assertThat(plain.exitCode()).isNotZero();
    assertThat(plain.output()).contains("requires TLS");
  }

  private static String words() {
    SplittableRandom random = new SplittableRandom(1);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 50_000; i++) {
      text.append("word").append(random.nextInt(4000)).append(i % 9 == 0 ? '\n' : ' ');
    }
    return text.toString();
  }
}
