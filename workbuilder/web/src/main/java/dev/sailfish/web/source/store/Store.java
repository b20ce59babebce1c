package dev.sailfish.web.source.store;

import dev.sailfish.ground.wire.Clock;
import dev.sailfish.lineage.client.StoreAdmin;
import dev.sailfish.lineage.client.StoreClient;
import dev.sailfish.lineage.client.StoreClientConfig;
import dev.sailfish.lineage.client.StoreRefusedException;
import dev.sailfish.lineage.protocol.wire.CheckpointEntry;
import dev.sailfish.lineage.protocol.wire.CheckpointReport;
import dev.sailfish.lineage.protocol.wire.DependencyInput;
import dev.sailfish.lineage.protocol.wire.DependencyOutput;
import dev.sailfish.lineage.protocol.wire.DependencyRecord;
import dev.sailfish.lineage.protocol.wire.FileCondition;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.ListEntriesResponse;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.lineage.protocol.wire.ReportResponse;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import dev.sailfish.lineage.protocol.wire.WorkerReport;
import dev.sailfish.web.source.Reach;
import dev.sailfish.web.source.servers.ServerKinds;
import dev.sailfish.web.source.servers.ServerRow;
import dev.sailfish.web.source.servers.Tier;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Asks the lineage master that leads; changes nothing. Thread-safe. */
public final class Store implements Closeable {
  private static final int QUEUE = 100;
  private static final int NEIGHBOURS = 200;
  private static final String[] TIERS = {"memory", "ssd", "disk"};
  private static final String FILE = "file";

  private final List<InetSocketAddress> masters;
  private final Reach reach;
  private final StoreAdmin admin;
  private final StoreClient client;
  private final Clock clock;
  private volatile StoreView view = StoreView.empty(true);

  /**
   * Does not connect yet.
   *
   * @param masters all of them
   */
  public Store(List<InetSocketAddress> masters, Reach reach, Clock clock) {
    this(
        masters,
        reach,
        clock,
        StoreUser.newBuilder().setName(System.getProperty("user.name")).setSuperuser(true).build());
  }

  private Store(List<InetSocketAddress> masters, Reach reach, Clock clock, StoreUser user) {
    this.masters = masters;
    this.reach = reach;
    StoreClientConfig config =
        new StoreClientConfig(
            masters,
            reach.network(),
            reach.credentials(),
            user,
            Set.of(),
            StoreClientConfig.DEFAULT_BUFFER_BYTES,
            reach.deadline());
    this.admin = new StoreAdmin(config);
    this.client = new StoreClient(config);
    this.clock = clock;
  }

  /**
   * The same as a user has it: there is what he may see by owners, groups and modes, and records of
   * how files are made are there for their owner. To be closed.
   */
  public Store of(String user, Set<String> groups) {
    StoreUser asker = StoreUser.newBuilder().setName(user).addAllGroups(groups).build();
    return new Store(masters, reach, clock, asker);
  }

  /** What the last round found. */
  public StoreView view() {
    return view;
  }

  /**
   * Asks for the store as a whole.
   *
   * @throws IOException when no master answers
   */
  public void round() throws IOException {
    ReportResponse report = admin.report();
    List<StoreView.Queued> queue = new ArrayList<>();
    long[] running = new long[1];
    client
        .lineage()
        .checkpoints(
            QUEUE,
            entry -> {
              queue.add(queued(entry));
              running[0] +=
                  entry.getStage() == CheckpointEntry.Stage.COPYING ? entry.getLength() : 0;
            });
    long now = clock.wallMs();
    view =
        new StoreView(
            true,
            report.getNames(),
            report.getWriting(),
            report.getCopies(),
            report.getQuotas(),
            report.getExpiries(),
            report.getPins(),
            report.getWorkersList().stream().map(worker -> row(worker, now)).toList(),
            List.copyOf(report.getUnhealthyList()),
            client.lineage().lost(0, QUEUE).getFilesList().stream().map(Store::lost).toList(),
            checkpoints(report.getCheckpoints(), queue, running[0]),
            report.getSynchronous(),
            now);
  }

  private static StoreView.Checkpoints checkpoints(
      CheckpointReport report, List<StoreView.Queued> queue, long runningBytes) {
    return new StoreView.Checkpoints(
        List.copyOf(queue),
        report.getFiles(),
        report.getBytes(),
        report.getCopying(),
        runningBytes,
        report.getOldestMs(),
        report.getCheckpointedFiles(),
        report.getCheckpointedBytes(),
        report.getSparedBytes(),
        report.getEdgeMs());
  }

  private static StoreView.Lost lost(LostFile file) {
    String cause = file.getGivenUp();
    return new StoreView.Lost(
        file.getPath(),
        Long.toHexString(file.getOutput().getFid()),
        LineageGraph.state(file.getOutput().getState()),
        cause.isEmpty() ? file.getProgress() : "given up: " + cause,
        file.getWaitingList().stream().filter(name -> !name.isEmpty()).toList());
  }

  private static StoreView.Queued queued(CheckpointEntry entry) {
    String stage = entry.getStage().name().toLowerCase(Locale.ROOT);
    String worker = entry.hasWorker() ? address(entry.getWorker()) : null;
    String why = worker == null ? stage : stage + " at " + worker;
    return new StoreView.Queued(
        entry.getPath(),
        Long.toHexString(entry.getFid()),
        entry.getLength(),
        stage,
        worker,
        entry.getFailure().isEmpty() ? why : why + ": " + entry.getFailure());
  }

  private static String address(WorkerAddress worker) {
    return worker.getHost() + ":" + worker.getPort();
  }

  private static ServerRow row(WorkerReport worker, long nowMs) {
    List<Tier> tiers = new ArrayList<>();
    for (int i = 0; i < worker.getCapacityBytesCount() && i < TIERS.length; i++) {
      long used = i < worker.getUsedBytesCount() ? worker.getUsedBytes(i) : 0;
      tiers.add(new Tier(TIERS[i], used, worker.getCapacityBytes(i)));
    }
    String address = address(worker.getAddress());
    return new ServerRow(
        ServerKinds.LINEAGE_WORKER,
        ServerKinds.LINEAGE_WORKER + " " + worker.getAddress().getNumber(),
        address,
        null,
        null,
        true,
        true,
        false,
        null,
        null,
        nowMs - worker.getSilentMs(),
        tiers,
        null,
        null,
        worker.getDraining(),
        worker.hasLeft() ? (Long) worker.getLeft() : null,
        List.of(),
        List.of());
  }

  /**
   * Some files of a directory, or a file itself; empty when there is no such path.
   *
   * @param after the last name that the caller has already; empty to begin with
   */
  public Optional<StoreFiles> files(String path, String after) throws IOException {
    return ifThere(
        () -> {
          ListEntriesResponse page = client.namespace().listConditions(path, after);
          PlacesOfFiles places = new PlacesOfFiles(page);
          List<StoreFiles.Item> items = new ArrayList<>();
          page.getEntriesList().forEach(entry -> items.add(item(entry, places)));
          return new StoreFiles(path, items, page.getMore());
        });
  }

  private static StoreFiles.Item item(FileEntry entry, PlacesOfFiles places) {
    List<String> where = places.of(entry.getFid());
    FileCondition condition = places.condition(entry.getFid());
    return new StoreFiles.Item(
        entry.getName(),
        entry.getDirectory(),
        entry.getLength(),
        entry.getModifiedMs(),
        entry.getOwner(),
        entry.getGroup(),
        mode(entry.getMode()),
        condition.getPinned(),
        where,
        state(entry, condition, places),
        condition.getProgress().isEmpty() ? null : condition.getProgress());
  }

  private static String state(FileEntry entry, FileCondition condition, PlacesOfFiles places) {
    if (entry.getDirectory()) {
      return "directory";
    }
    if (!entry.getComplete()) {
      return "writing";
    }
    if (!condition.getProgress().isEmpty()) {
      return LineageGraph.state(condition.getState());
    }
    if (condition.getCopying()) {
      return "checkpointing";
    }
    if (entry.getBelow()) {
      return "below";
    }
    return places.isWhole(entry) ? "stored" : "lost";
  }

  private static String mode(int bits) {
    String letters = "rwxrwxrwx";
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < letters.length(); i++) {
      text.append((bits >> letters.length() - 1 - i & 1) == 1 ? letters.charAt(i) : '-');
    }
    return text.toString();
  }

  /** The lineage around a file: how it was made, and what was made of it; empty: no such file. */
  public Optional<StoreLineage> lineage(String path) throws IOException {
    return ifThere(
        () -> {
          FileEntry file = client.namespace().stat(path);
          LineageGraph graph = new LineageGraph();
          graph.file(file.getFid(), path, file.getBelow() ? "below" : "stored");
          ifThere(
                  () -> {
                    DependencyRecord made = client.lineage().of(file.getFid());
                    add(graph, made);
                    return made;
                  })
              .ifPresent(made -> graph.made(made.getId(), file.getFid()));
          client.lineage().readersOf(file.getFid(), record -> add(graph, record));
          return graph.lineage();
        });
  }

  private void add(LineageGraph graph, DependencyRecord record) {
    if (graph.size() > NEIGHBOURS) {
      return;
    }
    graph.dependency(record);
    for (DependencyInput input : record.getInputsList()) {
      if (input.getFid() == 0) {
        graph.outside(record.getId(), input.getOutside().getUri());
      } else {
        graph.file(input.getFid(), name(input.getFid()), FILE);
        graph.read(input.getFid(), record.getId());
      }
    }
    for (DependencyOutput output : record.getOutputsList()) {
      if (graph.size() > NEIGHBOURS) {
        return;
      }
      graph.file(output.getFid(), name(output.getFid()), LineageGraph.state(output.getState()));
      graph.made(record.getId(), output.getFid());
    }
  }

  /** What a file is called now; its id where nobody says. */
  private String name(long fid) {
    try {
      return client.namespace().stat(fid).getName();
    } catch (IOException e) {
      return "file " + Long.toHexString(fid);
    }
  }

  private interface Question<T> {
    T ask() throws IOException;
  }

  private static <T> Optional<T> ifThere(Question<T> question) throws IOException {
    try {
      return Optional.of(question.ask());
    } catch (StoreRefusedException e) {
      return switch (e.reason()) {
        // Whom it is hidden from is not told that it is there.
        case NOT_FOUND, INVALID, DENIED -> Optional.empty();
        default -> throw e;
      };
    }
  }

  /** Closes its connections. */
  @Override
  public void close() {
    admin.close();
    client.close();
  }
}
