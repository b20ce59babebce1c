package dev.sailfish.chunkserver;

import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.frame.FrameServer;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Listens to a chunkserver's reports and gives it the commands that a test wants. */
public final class FakeMetaserver implements RequestHandler, Closeable {
  private final Queue<HeartbeatResponse> commands = new ConcurrentLinkedQueue<>();
  private final Map<Long, ChunkReport> chunks = new ConcurrentHashMap<>();
  private final Set<String> activeJobs = ConcurrentHashMap.newKeySet();
  private final Queue<RegisterChunkserverRequest> registrations = new ConcurrentLinkedQueue<>();
  private final FrameServer server;

  FakeMetaserver(int port) throws IOException {
    server =
        FrameServer.start(
            IfileService.SERVICE, ServerConfig.of("fake metaserver", "127.0.0.1", port), this);
  }

  int port() {
    return server.port();
  }

  public void command(HeartbeatResponse command) {
    commands.add(command);
  }

  public void deleteJob(String job) {
    command(HeartbeatResponse.newBuilder().addDeleteJobs(job).build());
  }

  /** The last report of each chunk. */
  public Map<Long, ChunkReport> chunks() {
    return chunks;
  }

  public Set<String> activeJobs() {
    return activeJobs;
  }

  public List<RegisterChunkserverRequest> registrations() {
    return List.copyOf(registrations);
  }

  @Override
  public void handle(Request request) throws IOException {
    if (request.operation() == IfileService.REGISTER_CHUNKSERVER) {
      RegisterChunkserverRequest registration = request.header(RegisterChunkserverRequest.parser());
      registrations.add(registration);
      registration.getChunksList().forEach(chunk -> chunks.put(chunk.getChunk(), chunk));
      request.reply(
          RegisterChunkserverResponse.newBuilder().setRack("/rack").setHeartbeatMs(20).build());
      return;
    }
    HeartbeatRequest heartbeat = request.header(HeartbeatRequest.parser());
    heartbeat.getChangedList().forEach(chunk -> chunks.put(chunk.getChunk(), chunk));
    activeJobs.addAll(heartbeat.getActiveJobsList());
    HeartbeatResponse command = commands.poll();
    request.reply(command == null ? HeartbeatResponse.getDefaultInstance() : command);
  }

  @Override
  public void close() {
    server.close();
  }
}
