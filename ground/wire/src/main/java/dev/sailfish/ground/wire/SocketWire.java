package dev.sailfish.ground.wire;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** A non-blocking TCP socket with a selector of its own. */
final class SocketWire implements Wire {
  private final InetSocketAddress address;
  private final SocketChannel channel;
  private final Selector selector;
  private final SelectionKey key;

  /** A wire that {@link #connect} will connect. */
  SocketWire(InetSocketAddress address) throws IOException {
    this.address = address;
    this.channel = SocketChannel.open();
    this.selector = Selector.open();
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    this.key = channel.register(selector, 0);
  }

  @Override
  public boolean connect() throws IOException {
    if (!channel.isConnectionPending()) {
      channel.connect(address);
    }
    return channel.finishConnect();
  }

  @Override
  public int write(ByteBuffer bytes) throws IOException {
    return channel.write(bytes);
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    return channel.read(target);
  }

  @Override
  public void await(int interest, long waitMs) throws IOException {
    key.interestOps(interest);
    selector.select(waitMs);
    selector.selectedKeys().clear();
  }

  @Override
  public void wake() {
    selector.wakeup();
  }

  @Override
  public boolean isOpen() {
    return channel.isOpen();
  }

  @Override
  public void close() throws IOException {
    try (selector;
        channel) {
      key.cancel();
    }
  }
}
