package dev.sailfish.benchmarks.chunkserver;

import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.frame.FrameServer;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import java.io.Closeable;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** As much of a metaserver as it takes to have chunks deleted. */
final class DeletingMetaserver implements RequestHandler, Closeable {
  private final Queue<Long> unwanted = new ConcurrentLinkedQueue<>();
  private final FrameServer server;

  DeletingMetaserver() throws IOException {
    server =
        FrameServer.start(
            IfileService.SERVICE, ServerConfig.of("metaserver", "127.0.0.1", 0), this);
  }

  int port() {
    return server.port();
  }

  void delete(long chunk) {
    unwanted.add(chunk);
  }

  @Override
  public void handle(Request request) throws IOException {
    if (request.operation() == IfileService.REGISTER_CHUNKSERVER) {
      request.reply(RegisterChunkserverResponse.getDefaultInstance());
      return;
    }
    HeartbeatResponse.Builder response = HeartbeatResponse.newBuilder();
    for (Long chunk = unwanted.poll(); chunk != null; chunk = unwanted.poll()) {
      response.addDeleteChunks(chunk);
    }
    request.reply(response.build());
  }

  @Override
  public void close() {
    server.close();
  }
}
