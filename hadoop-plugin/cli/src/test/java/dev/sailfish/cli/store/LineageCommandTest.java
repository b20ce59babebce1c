package dev.sailfish.cli.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.sailfish.cli.Sailfish;
import dev.sailfish.ground.config.Settings;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.hadoop.lineage.wire.Recipe;
import dev.sailfish.lineage.client.FileInput;
import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.master.LineageMaster;
import dev.sailfish.lineage.master.LineageMasterKey;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.DependencyType;
import dev.sailfish.lineage.protocol.wire.OutsideInput;
import dev.sailfish.lineage.protocol.wire.ProgramFile;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.worker.LineageWorker;
import dev.sailfish.lineage.worker.LineageWorkerKey;
import dev.sailfish.localcluster.Distribution;
import dev.sailfish.testkit.FreePort;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code sailfish lineage} against a real master and a real worker. */
@Timeout(120)
class LineageCommandTest {
  @TempDir private Path directory;
  private final int port = FreePort.next();
  private Path secret;
  private LineageMaster master;
  private LineageWorker worker;
  private StoreClient client;
  private String said = "";

  @BeforeEach
  void start() throws IOException {
    System.setProperty(Distribution.ROOT_PROPERTY, directory.toString());
    secret = directory.resolve("secret");
    ClusterSecret.create(secret);
    master =
        LineageMaster.start(
            settings(
                LineageMasterKey.ALL.prefix(),
                Map.of(
                    "port",
                    port,
                    "worker.lease",
                    "5s",
                    "journal.dir",
                    directory.resolve("journal"))));
    worker = startWorker();
    client =
        new StoreClient(
            new StoreClientConfig(
                List.of(new InetSocketAddress("127.0.0.1", port)),
                Network.SOCKETS,
                Credentials.ofCluster(ClusterSecret.read("secret", secret)),
                StoreUser.newBuilder().setName("alice").setSuperuser(true).build(),
                Set.of(),
                StoreClientConfig.DEFAULT_BUFFER_BYTES,
                Duration.ofSeconds(30)));
  }

  private LineageWorker startWorker() throws IOException {
    LineageWorker started =
        LineageWorker.start(
            settings(
                LineageWorkerKey.ALL.prefix(),
                Map.of(
                    "bind",
                    "127.0.0.1",
                    "port",
                    "0",
                    "heartbeat",
                    "50ms",
                    "master.address",
                    "127.0.0.1:" + port,
                    "dirs",
                    directory.resolve("blocks") + ":capacity=20m")));
    await("the master knows the worker")
        .atMost(Duration.ofSeconds(30))
        .until(() -> started.metrics().get("sailfish_lineage_worker_heartbeats_total") > 1);
    return started;
  }

  private Settings settings(String prefix, Map<String, Object> own) throws IOException {
    List<String> lines =
        new ArrayList<>(
            List.of(
                prefix + "host=127.0.0.1",
                prefix + "web.port=0",
                prefix + "cluster.secret.file=" + secret));
    own.forEach((key, value) -> lines.add(prefix + key + "=" + value));
    return Settings.read(Files.write(directory.resolve(prefix + "properties"), lines));
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    worker.close();
    master.close();
    System.clearProperty(Distribution.ROOT_PROPERTY);
  }

  private long write(String path) throws IOException {
    FileOutput out =
        client.create(
            CreateFile.newBuilder()
                .setPath(path)
                .setMode(0644)
                .setMakeParents(true)
                .setParentMode(0755)
                .setBlockSizeLog(20)
                .build());
    try (out) {
      out.write(new byte[1_000]);
    }
    return out.fid();
  }

  private long record(DependencyInput input, long output) throws IOException {
    ProgramFile program =
        client.lineage().upload(Files.write(directory.resolve("job.jar"), new byte[] {1, 2}));
    return client
        .lineage()
        .create(
            CreateDependency.newBuilder()
                .setType(DependencyType.DEPENDENCY_NARROW)
                .addInputs(input)
                .addOutputs(DependencyOutput.newBuilder().setFid(output).setIndex(3))
                .addPrograms(program)
                .setConfig(ByteString.copyFromUtf8("x=1"))
                .build());
  }

  private int lineage(String... arguments) {
    StringWriter text = new StringWriter();
    PrintWriter out = new PrintWriter(text, true);
    List<String> all = new ArrayList<>(List.of("lineage"));
    all.addAll(List.of(arguments));
    all.addAll(2, List.of("--masters", "127.0.0.1:" + port, "--secret-file", secret.toString()));
    int code =
        Sailfish.commandLine("lineage").setOut(out).setErr(out).execute(all.toArray(String[]::new));
    said = text.toString();
    return code;
  }

  private static String text(long fid) {
    return "%016x".formatted(fid);
  }

  @Test
  void showsHowFilesWereMade() throws IOException {
    OutsideInput outside = OutsideInput.newBuilder().setUri("hdfs://h/in").setLength(5).build();
    long middle = write("/middle");
    long out = write("/out");
    long first = record(DependencyInput.newBuilder().setOutside(outside).build(), middle);
    long second = record(DependencyInput.newBuilder().setFid(middle).build(), out);

    assertThat(lineage("ls")).as(said).isZero();
    assertThat(said).contains("same bytes", "alice", "narrow", "as far as known");
    assertThat(said.lines()).hasSize(3);

    assertThat(lineage("stat", "/out")).as(said).isZero();
    assertThat(said)
        .contains(
            "dependency: " + second + ", narrow, of alice",
            "program: job.jar a12871fee210fb8619291eaea194581cbd2531e4b23759d225f6806923f63222",
            "configuration: 3 bytes",
            "input: " + text(middle),
            "output: " + text(out) + " part=3 stored bytes=1000 checksum=");
    assertThat(lineage("stat", "/middle")).isZero();
    assertThat(said).contains("input: hdfs://h/in");

    assertThat(lineage("graph", "/out")).as(said).isZero();
    assertThat(said.lines())
        .containsExactly(
            first + ": [outside] -> [" + text(middle) + " stored]",
            second + ": [" + text(middle) + "] -> [" + text(out) + " stored]");
    assertThat(lineage("graph", "/out", "--format", "dot")).isZero();
    assertThat(said)
        .startsWith("digraph lineage {")
        .contains("\"" + text(middle) + "\" -> \"dependency " + second + "\";")
        .contains("\"dependency " + first + "\" -> \"" + text(middle) + "\";");
    assertThat(lineage("graph", "/out", "--format", "json", "--most", "1")).isZero();
    assertThat(said.strip())
        .isEqualTo(
            ("[{\"id\":%d,\"name\":\"\",\"growing\":false,\"inputs\":[\"%s\"],"
                    + "\"outputs\":[{\"fid\":\"%s\",\"part\":\"3\",\"state\":\"stored\"}]}]")
                .formatted(second, text(middle), text(out)));
  }

  @Test
  void showsARecordThatIsGrowing() throws IOException {
    ProgramFile program =
        client.lineage().upload(Files.write(directory.resolve("job.jar"), new byte[] {1, 2}));
    long id =
        client
            .lineage()
            .create(
                CreateDependency.newBuilder()
                    .setType(DependencyType.DEPENDENCY_WIDE)
                    .addPrograms(program)
                    .setName("job_1")
                    .setGrowing(true)
                    .build());
    FileOutput out =
        client.create(
            CreateFile.newBuilder()
                .setPath("/out")
                .setMode(0644)
                .setBlockSizeLog(20)
                .setDependency(id)
                .setOutput(DependencyOutput.newBuilder().setIndex(3).setMap(true).setFile(1))
                .build());
    out.close();
    assertThat(lineage("ls")).as(said).isZero();
    assertThat(said).contains("job_1", "wide, growing");
    assertThat(lineage("stat", "/out")).as(said).isZero();
    assertThat(said)
        .contains(
            "dependency: " + id + ", wide, growing, of alice",
            "name: job_1",
            "output: " + text(out.fid()) + " part=map-3.1 stored bytes=0");
    client.lineage().seal(id);
    assertThat(lineage("graph", "/out", "--format", "json")).isZero();
    assertThat(said.strip())
        .isEqualTo(
            ("[{\"id\":%d,\"name\":\"job_1\",\"growing\":false,\"inputs\":[],"
                    + "\"outputs\":[{\"fid\":\"%s\",\"part\":\"map-3.1\",\"state\":\"stored\"}]}]")
                .formatted(id, text(out.fid())));
    assertThat(lineage("graph", "/out", "--format", "dot")).isZero();
    assertThat(said).contains("\"dependency " + id + "\" [label=\"job_1\"];");
  }

  @Test
  void listsWhatIsLost() throws IOException {
    OutsideInput outside = OutsideInput.newBuilder().setUri("hdfs://h/in").build();
    long out = write("/out");
    record(DependencyInput.newBuilder().setOutside(outside).build(), out);
    assertThat(lineage("ls", "--lost")).as(said).isZero();
    assertThat(said).contains("dependency", "part").doesNotContain(text(out));
    worker.close();
    await("the file is lost")
        .atMost(Duration.ofSeconds(30))
        .until(() -> lineage("ls", "--lost") == 0 && said.contains(text(out)));
    assertThat(said).contains("lost", "1000");
    client.lineage().want(out, "application_1_2");
    assertThat(lineage("ls", "--lost")).isZero();
    assertThat(said).contains("waited for by", "application_1_2");
    client.lineage().giveUp(out, "its input is gone");
    assertThat(lineage("ls", "--lost")).isZero();
    assertThat(said).contains("given up because", "its input is gone");
  }

  @Test
  void asksForLostFilesUntilTheyAreBack() throws Exception {
    OutsideInput outside = OutsideInput.newBuilder().setUri("hdfs://h/in").build();
    long middle = write("/d/middle");
    long out = write("/d/e/out");
    record(DependencyInput.newBuilder().setOutside(outside).build(), middle);
    record(DependencyInput.newBuilder().setFid(middle).build(), out);
    assertThat(lineage("recompute", "/d")).as(said).isZero();
    assertThat(said.lines()).containsExactlyInAnyOrder("/d/middle: there", "/d/e/out: there");
    write("/plain");
    assertThat(lineage("recompute", "/plain")).isEqualTo(1);
    assertThat(said).contains("/plain: ", "it is not recorded how");

    worker.close();
    await("the files are lost")
        .atMost(Duration.ofSeconds(30))
        .until(() -> lineage("ls", "--lost") == 0 && said.contains(text(out)));
    client.lineage().giveUp(middle, "its input is gone");
    client.lineage().giveUp(out, "its input was given up");
    assertThat(lineage("recompute", "--deadline", "0", "/d/e/out")).as(said).isZero();
    assertThat(said)
        .contains(
            "tried again: /d/e/out, given up: its input was given up",
            "tried again: /d/middle, given up: its input is gone",
            "/d/e/out: lost; no recompute has begun");
    assertThat(lineage("recompute", "--deadline", "1", "/d/middle")).as(said).isEqualTo(1);
    assertThat(said).contains("/d/middle: not back within the deadline");
    CompletableFuture<Integer> asking =
        CompletableFuture.supplyAsync(() -> lineage("recompute", "/d"));
    worker = startWorker();
    assertThat(asking.get(60, TimeUnit.SECONDS)).as(said).isZero();
    assertThat(said).contains("/d/middle: there", "/d/e/out: there");
  }

  @Test
  void switchesTheSyncMode() {
    assertThat(lineage("sync-mode", "status")).as(said).isZero();
    assertThat(said.strip()).isEqualTo("sync-mode: off");
    assertThat(lineage("sync-mode", "on")).as(said).isZero();
    assertThat(said.strip()).isEqualTo("sync-mode: on");
    assertThat(lineage("sync-mode", "status")).isZero();
    assertThat(said.strip()).isEqualTo("sync-mode: on");
    assertThat(lineage("sync-mode", "off")).isZero();
    assertThat(said.strip()).isEqualTo("sync-mode: off");
    assertThat(lineage("sync-mode", "maybe")).isEqualTo(2);
  }

  @Test
  void recordsACommand() throws IOException {
    write("/text/in");
    Path script = Files.writeString(directory.resolve("bytes"), "#!/bin/sh\nwc -c < $1");
    assertThat(
            lineage(
                "run",
                "--input=lineage:///text/in",
                "--output=/made/count=out",
                "--program=" + script,
                "--env=WORD=x" + "y".repeat(2_000),
                "--memory=5",
                "--queue=slow",
                "--",
                "sh",
                "-c",
                "./bytes in > out; echo $WORD >> out"))
        .as(said)
        .isZero();
    try (FileInput in = client.open("/made/count")) {
      assertThat(new String(in.readAllBytes(), StandardCharsets.US_ASCII))
          .matches(" *1000\nxy{2000}\n");
    }
    DependencyRecord record = client.lineage().of(client.namespace().stat("/made/count").getFid());
    assertThat(said.strip()).isEqualTo("record " + record.getId());
    assertThat(record.getType()).isEqualTo(DependencyType.DEPENDENCY_WIDE);
    assertThat(record.getInputsList())
        .map(DependencyInput::getFid)
        .containsExactly(client.namespace().stat("/text/in").getFid());
    assertThat(record.getProgramsList())
        .map(ProgramFile::getName)
        .containsExactly("bytes", "recipe");
    assertThat(Recipe.parseFrom(record.getConfig()).hasCommand()).isTrue();
    ByteArrayOutputStream kept = new ByteArrayOutputStream();
    client.lineage().fetch(record.getOwner(), record.getPrograms(1), kept);
    Recipe recipe = Recipe.parseFrom(kept.toByteArray());
    assertThat(recipe.getQueue()).isEqualTo("slow");
    assertThat(recipe.getCommand().getMemoryMb()).isEqualTo(5);
    assertThat(recipe.getCommand().getInputNamesList()).containsExactly("in");
    assertThat(recipe.getCommand().getOutputNamesList()).containsExactly("out");
    assertThat(recipe.getCommand().getEnvironmentMap()).containsKeys("WORD", "PATH");
  }

  @Test
  void recordsNothingOfACommandThatFails() throws IOException {
    write("/there");
    assertThat(lineage("run", "--output=/out", "--", "sh", "-c", "echo x > out; exit 9"))
        .as(said)
        .isEqualTo(9);
    assertThat(lineage("run", "--output=/out", "--", "true")).isEqualTo(1);
    assertThat(said).contains("the command has made no file called out");
    assertThat(lineage("run", "--output=/there", "--", "true")).isEqualTo(1);
    assertThat(said).contains("/there is there already, a file");
    assertThat(lineage("run", "--output=/out", "--", directory + "/none")).isEqualTo(1);
    assertThat(said).contains("none");
    assertThat(lineage("run", "--output=/a", "/b=a", "--", "true")).isEqualTo(2);
    assertThat(said).contains("two files are called a");
    assertThat(lineage("run", "--output=lineage://host/a", "--", "true")).isEqualTo(2);
    assertThat(lineage("ls")).isZero();
    assertThat(said.lines()).as("nothing but the names of columns").hasSize(1);
    assertThat(lineage("stat", "/out")).isEqualTo(1);
    assertThat(said).contains("there is no /out");
  }

  @Test
  void saysWhatIsNotThere() throws IOException {
    write("/plain");
    assertThat(lineage("stat", "/plain")).isEqualTo(1);
    assertThat(said).contains("it is not recorded how");
    assertThat(lineage("stat", "/nowhere")).isEqualTo(1);
    assertThat(said).contains("there is no /nowhere");
    assertThat(lineage("graph", "/plain")).isZero();
    assertThat(said).isEmpty();
    assertThat(lineage("graph", "/plain", "--format", "picture")).isEqualTo(2);
    assertThat(lineage("queue")).isZero();
    assertThat(said.lines()).as("nothing but the names of columns").hasSize(1);
    assertThat(lineage("checkpoint", "/plain")).isEqualTo(1);
    assertThat(said).contains("nothing is mounted at or above /plain");
  }
}
