package dev.sailfish.benchmarks.store;

import dev.sailfish.lineage.client.FileInput;
import dev.sailfish.lineage.client.FileOutput;
import dev.sailfish.lineage.client.NamespaceClient;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The lineage store through its own client. */
final class LineageFiles implements Storage {
  private static final int BLOCK_LOG = 27;

  private final StoreClient client;
  private final String directory;

  LineageFiles(StoreClientConfig config, String directory) {
    this.client = new StoreClient(config);
    this.directory = directory;
  }

  private String path(String name) {
    return directory + "/" + name;
  }

  private CreateFile file(String name) {
    return CreateFile.newBuilder()
        .setPath(path(name))
        .setMode(0644)
        .setMakeParents(true)
        .setParentMode(0755)
        .setBlockSizeLog(BLOCK_LOG)
        .setReplace(true)
        .build();
  }

  @Override
  public CompletableFuture<?> makeEmpty(String name) throws IOException {
    if (InFlight.MOST == 1) {
      return Storage.super.makeEmpty(name);
    }
    NamespaceClient namespace = client.namespace();
    return InFlight.ONE_CHANGE
        ? namespace.createEmptyAsync(file(name))
        : namespace
            .createAsync(file(name))
            .thenCompose(made -> namespace.completeAsync(made.getEntry().getFid(), 0, List.of()));
  }

  @Override
  public CompletableFuture<Long> askLength(String name) throws IOException {
    return InFlight.MOST == 1
        ? Storage.super.askLength(name)
        : client.namespace().statAsync(path(name)).thenApply(FileEntry::getLength);
  }

  @Override
  public Output create(String name) throws IOException {
    return new Writing(client.create(file(name)));
  }

  @Override
  public CompletableFuture<? extends Output> begin(String name) throws IOException {
    return InFlight.MOST == 1
        ? Storage.super.begin(name)
        : client.createAsync(file(name)).thenApply(Writing::new);
  }

  private record Writing(FileOutput out) implements Output {
    @Override
    public void write(ByteBuffer bytes) throws IOException {
      out.write(bytes);
    }

    @Override
    public CompletableFuture<?> end() throws IOException {
      return InFlight.MOST == 1 ? Output.super.end() : out.closeAsync();
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }

  @Override
  public Input open(String name) throws IOException {
    FileInput in = client.open(path(name));
    return new Input() {
      @Override
      public void seek(long position) throws IOException {
        in.seek(position);
      }

      @Override
      public int read(ByteBuffer into) throws IOException {
        return in.read(into);
      }

      @Override
      public ByteBuffer map(long position) throws IOException {
        return in.map(position, Pages.MIB);
      }

      @Override
      public void close() {
        in.close();
      }
    };
  }

  @Override
  public long length(String name) throws IOException {
    return client.namespace().stat(path(name)).getLength();
  }

  @Override
  public void clear() throws IOException {
    client.namespace().delete(directory, true);
  }

  @Override
  public void close() {
    client.close();
  }
}
