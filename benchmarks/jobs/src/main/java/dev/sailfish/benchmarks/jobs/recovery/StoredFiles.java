package dev.sailfish.benchmarks.jobs.recovery;

import dev.sailfish.ground.wire.Credentials;
import dev.sailfish.ground.wire.Network;
import dev.sailfish.ground.wire.secret.ClusterSecret;
import dev.sailfish.lineage.client.FileInput;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import dev.sailfish.localcluster.DaemonRecord;
import dev.sailfish.localcluster.LocalCluster;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The files of a local cluster's lineage store. Used by one thread. */
final class StoredFiles implements Closeable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final StoreClient client;

  /**
   * A file as it was found.
   *
   * @param path in the store
   * @param length in bytes
   * @param sha256 of its content
   * @param record the lineage record that says how it was made
   * @param workers ports of the workers that have blocks of it
   */
  record Stored(String path, long length, String sha256, long record, Set<Integer> workers) {}

  /** Asks the store of a cluster that runs, as the cluster. */
  StoredFiles(LocalCluster cluster) throws IOException {
    String secret = "secret of the local cluster";
    client =
        new StoreClient(
            new StoreClientConfig(
                cluster.state().lineageMasters().stream().map(DaemonRecord::endpoint).toList(),
                Network.SOCKETS,
                Credentials.ofCluster(ClusterSecret.read(secret, cluster.layout().secret())),
                StoreUser.newBuilder()
                    .setName(System.getProperty("user.name"))
                    .setSuperuser(true)
                    .build(),
                Set.of(),
                StoreClientConfig.DEFAULT_BUFFER_BYTES,
                PATIENCE));
  }

  /** The files with bytes in a directory, by their names; each is read. */
  List<Stored> in(String directory) throws IOException {
    List<FileEntry> entries = new ArrayList<>();
    client.namespace().list(directory, entries::add);
    List<Stored> files = new ArrayList<>();
    for (FileEntry entry : entries) {
      if (!entry.getDirectory() && entry.getLength() > 0) {
        files.add(stored(directory + "/" + entry.getName(), entry));
      }
    }
    return files;
  }

  private Stored stored(String path, FileEntry entry) throws IOException {
    Set<Integer> ports = new TreeSet<>();
    client.namespace().locate(entry.getFid(), 0, 0).getWorkersList().stream()
        .map(WorkerAddress::getPort)
        .forEach(ports::add);
    long record = client.lineage().of(entry.getFid()).getId();
    return new Stored(path, entry.getLength(), sha256(path), record, ports);
  }

  /** Hash of a file's content. */
  String sha256(String path) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
    try (FileInput in = client.open(path);
        InputStream hashed = new DigestInputStream(in, digest)) {
      hashed.transferTo(OutputStream.nullOutputStream());
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Copies files to one of the local file system, one after the other. */
  void copy(List<Stored> files, Path to) throws IOException {
    try (OutputStream out = Files.newOutputStream(to)) {
      for (Stored file : files) {
        try (FileInput in = client.open(file.path())) {
          in.transferTo(out);
        }
      }
    }
  }

  /** Files that are lost, and have a lineage record. */
  List<LostFile> lost() throws IOException {
    List<LostFile> lost = new ArrayList<>();
    client.lineage().lost(lost::add);
    return lost;
  }

  /** Whether jobs have ended whose records are not sealed. */
  boolean grow() throws IOException {
    List<DependencyRecord> growing = new ArrayList<>();
    client.lineage().growing(growing::add);
    return !growing.isEmpty();
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
