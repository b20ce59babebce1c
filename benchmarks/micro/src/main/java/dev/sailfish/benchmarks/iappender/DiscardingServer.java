package dev.sailfish.benchmarks.iappender;

import dev.sailfish.ground.server.PayloadSink;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.RequestHandler;
import dev.sailfish.ground.server.ServerConfig;
import dev.sailfish.ground.server.frame.FrameServer;
import dev.sailfish.ground.wire.Operation;
import dev.sailfish.ground.wire.message.EmptyResponse;
import dev.sailfish.iappender.IappenderConfig;
import dev.sailfish.protocol.IfileService;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindResponse;
import dev.sailfish.protocol.wire.BindTarget;
import dev.sailfish.protocol.wire.Binding;
import dev.sailfish.protocol.wire.CreateIfilesResponse;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;

/** A metaserver and chunkserver in one that acknowledges every block and drops it. */
final class DiscardingServer implements RequestHandler, PayloadSink, Closeable {
  private static final String HOST = "127.0.0.1";

  private final FrameServer server;

  DiscardingServer() throws IOException {
    ServerConfig config = ServerConfig.of("discarding", HOST, 0).withThreads(1);
    server = FrameServer.start(IfileService.SERVICE, config, this);
  }

  /** Of an iappender that appends here. */
  IappenderConfig config() {
    InetSocketAddress address = new InetSocketAddress(HOST, server.port());
    return new IappenderConfig(address, HOST, "benchmark", 0, 0, 0, Duration.ofSeconds(30), 0);
  }

  @Override
  public void handle(Request request) throws IOException {
    Operation<?, ?> operation = request.operation();
    if (operation == IfileService.CREATE_IFILES) {
      request.reply(CreateIfilesResponse.newBuilder().setChunkBytes(1 << 27).build());
    } else if (operation == IfileService.BIND) {
      request.reply(bind(request.header(BindRequest.parser())));
    } else {
      request.reply(EmptyResponse.getDefaultInstance());
    }
  }

  private BindResponse bind(BindRequest request) {
    BindResponse.Builder response = BindResponse.newBuilder();
    for (BindTarget target : request.getTargetsList()) {
      response.addBindings(
          Binding.newBuilder()
              .setPartition(target.getPartition())
              .setChunk(1 + target.getPartition())
              .setServerId("discarding")
              .setHost(HOST)
              .setPort(server.port()));
    }
    return response.build();
  }

  @Override
  public PayloadSink payloadSink(Request request, int payloadLength) {
    return this;
  }

  @Override
  public void write(ByteBuffer piece) {}

  @Override
  public void abort() {}

  @Override
  public void close() {
    server.close();
  }
}
