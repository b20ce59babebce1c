package dev.sailfish.lineage.client;

import com.google.protobuf.ByteString;
import dev.sailfish.ground.wire.Connection;
import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.lineage.protocol.WorkerService;
import dev.sailfish.lineage.protocol.wire.BlockName;
import dev.sailfish.lineage.protocol.wire.OpenFileResponse;
import dev.sailfish.lineage.protocol.wire.ShareBlockRequest;
import dev.sailfish.lineage.protocol.wire.ShareBlockResponse;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Set;

/**
 * A process of another user of the operating system, on the workers' host, that reads one file of
 * the store and writes it again under another name. Says what it finds on its output.
 */
final class ForeignProcess {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private ForeignProcess() {}

  /** The arguments: port of the master, user, token, password, file, its copy. */
  public static void main(String[] args) throws IOException {
    Credentials credentials =
        Credentials.ofToken(
            Base64.getUrlDecoder().decode(args[2]), Base64.getUrlDecoder().decode(args[3]));
    InetSocketAddress master = new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0]));
    StoreUser user = StoreUser.newBuilder().setName(args[1]).build();
    try (StoreClient client =
        new StoreClient(Configs.of(List.of(master), credentials, user, Set.of("localhost")))) {
      byte[] content;
      try (FileInput input = client.open(args[4])) {
        content = input.readAllBytes();
      }
      System.out.println("read " + new String(content, StandardCharsets.US_ASCII));
      try (FileOutput output = client.create(TestStore.file(args[5]))) {
        output.write(content);
      }
      System.out.println("written");
      System.out.println(openItself(client.namespace().open(args[4], 1), credentials));
    }
  }

  /** Whether the worker's file can be opened, whose path a good token gives. */
  private static String openItself(OpenFileResponse opened, Credentials credentials)
      throws IOException {
    WorkerAddress worker = opened.getWorkers(0);
    ByteString token = opened.getBlockToken();
    BlockName name =
        BlockName.newBuilder().setFid(opened.getEntry().getFid()).setToken(token).build();
    try (Connection connection =
        Connection.open(
            new InetSocketAddress(worker.getHost(), worker.getPort()),
            "test",
            credentials,
            DEADLINE)) {
      ShareBlockResponse shared =
          connection.call(
              WorkerService.SHARE,
              ShareBlockRequest.newBuilder().setName(name).build(),
              ShareBlockResponse.parser());
      FileChannel.open(Path.of(shared.getPath())).close();
      return "opened " + shared.getPath();
    } catch (AccessDeniedException e) {
      return "denied " + e.getFile();
    }
  }
}
