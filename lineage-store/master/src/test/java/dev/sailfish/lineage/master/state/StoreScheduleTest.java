package dev.sailfish.lineage.master.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.lineage.master.Snapshot;
import dev.sailfish.lineage.master.namespace.BlockCopies;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Place;
import dev.sailfish.lineage.protocol.wire.AbandonFile;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.CompleteFile;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DeletePath;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerRequest;
import dev.sailfish.lineage.protocol.wire.RegisterWorkerResponse;
import dev.sailfish.lineage.protocol.wire.ReportBlocksRequest;
import dev.sailfish.lineage.protocol.wire.ReportBlocksResponse;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The master's state between clients and workers whose messages come in any order and at any time:
 * workers that start again, are given up while they live, lose all they have or find a block
 * damaged, that copy blocks from each other and want to drop what others have, too; clients that
 * vanish; masters that take over from a snapshot. Each schedule is one seed, on one thread.
 *
 * <p>What holds after each step has a name:
 *
 * <ul>
 *   <li>CLOSED_IS_KEPT: no worker is told to delete a block of a file that is complete.
 *   <li>HOLDER_IS_KNOWN: a complete file's block that a worker has is known to be there, once that
 *       worker has told all it has, unless it waits for an answer whether the block may go.
 *   <li>LAST_STAYS: a block that a worker may drop is with another one that is to stay, as far as
 *       the master can know.
 *   <li>PLACE_IS_TRUE: a block is said to be only where it is, once a worker has told what it has
 *       lost.
 *   <li>WHOLE_OR_ERROR: a file became complete with all its blocks somewhere.
 *   <li>NOTHING_STAYS: in the end workers have blocks of files that are there, and no others.
 * </ul>
 */
@Seeded
class StoreScheduleTest {
  private static final int STEPS = 120;
  private static final int NO_MORE = 3; // in place of a tier
  private static final int WORKERS = 3;
  private static final int CLIENTS = 3;
  private static final int PATHS = 6;
  private static final StoreUser ROOT =
      StoreUser.newBuilder().setName("root").setSuperuser(true).build();

  private record Block(long fid, int number) {}

  /** A worker as it really is. */
  private static final class Holder {
    private final long id;
    private final Set<Block> blocks = new HashSet<>();
    private final Deque<Block> untold = new ArrayDeque<>();

    /** Found damaged, and not told yet. */
    private final Deque<Block> damaged = new ArrayDeque<>();

    /** Of which the master was asked whether they may go, and the answer was lost. */
    private final Set<Block> offered = new LinkedHashSet<>();

    /** 0 while it starts again. */
    private int number;

    /** As the master knows it, also while it starts again. */
    private int known;

    Holder(long id) {
      this.id = id;
    }
  }

  /** A client, and the file that it writes, if any. */
  private static final class Writer {
    private long id;
    private long changes;
    private long fid;
    private String path;
    private final List<Integer> places = new ArrayList<>();
  }

  /** What was closed and is there: how many blocks it has. */
  private final Map<Long, Integer> closed = new HashMap<>();

  private final Map<String, Long> names = new TreeMap<>();
  private final List<Holder> holders = new ArrayList<>();
  private final List<Writer> writers = new ArrayList<>();

  /** What the leader has to tell workers, by number; lost with the leader. */
  private final Map<Integer, Set<Long>> unneeded = new HashMap<>();

  private Random random;
  private StoreState state;
  private long now;
  private long clients;

  @Test
  void twelveHundredSchedules(Seed seed) throws Exception {
    Schedules.run(1_200, seed, this::run);
  }

  @Test
  @Tag("long")
  void thirtyThousandSchedules(Seed seed) throws Exception {
    Schedules.run(30_000, seed, this::run);
  }

  private void run(Random chosen) throws Exception {
    random = chosen;
    state = new StoreState(listener());
    now = 1;
    clients = 1;
    closed.clear();
    names.clear();
    holders.clear();
    writers.clear();
    unneeded.clear();
    for (int i = 0; i < WORKERS; i++) {
      holders.add(new Holder(i + 1));
    }
    for (int i = 0; i < CLIENTS; i++) {
      writers.add(fresh(new Writer()));
    }
    for (int i = 0; i < STEPS; i++) {
      step();
      check();
    }
    settle();
  }

  private StoreState.Listener listener() {
    return new StoreState.Listener() {
      @Override
      public void lead() {}

      @Override
      public void follow() {}

      @Override
      public void mounted() {}

      @Override
      public void on(long fid, int worker) {
        unneeded.computeIfAbsent(worker, number -> new HashSet<>()).add(fid);
      }
    };
  }

  private Writer fresh(Writer writer) {
    writer.id = clients++;
    writer.changes = 0;
    writer.fid = 0;
    writer.places.clear();
    return writer;
  }

  private Holder anyHolder() {
    return holders.get(random.nextInt(WORKERS));
  }

  private void step() throws Exception {
    Writer writer = writers.get(random.nextInt(CLIENTS));
    switch (random.nextInt(24)) {
      case 0, 1, 2, 3, 4, 5 -> write(writer);
      case 6, 7 -> complete(writer);
      case 8 -> vanish(writer);
      case 9 -> delete(writer);
      case 10, 11, 12, 13 -> speak(anyHolder());
      case 14 -> anyHolder().number = 0; // starts again
      case 15 -> giveUp(anyHolder());
      case 16 -> hit(anyHolder());
      case 17, 18 -> state.apply(state.firstEntry(), ++now);
      case 19, 20 -> copy(anyHolder(), anyHolder());
      case 21 -> offer(anyHolder());
      case 22 -> drain(anyHolder());
      default -> takeOver();
    }
  }

  private ChangeResponse change(Writer writer, ChangeRequest.Builder what)
      throws InvalidProtocolBufferException {
    writer.changes++;
    ChangeRequest change =
        what.setClient(writer.id)
            .setNumber(writer.changes)
            .setAnsweredBelow(writer.changes)
            .setUser(ROOT)
            .build();
    byte[] reply = state.apply(StoreState.change(change, now), ++now);
    if (random.nextInt(10) == 0) {
      // The answer was lost: asked again, it is the same.
      assertThat(state.apply(StoreState.change(change, now), ++now)).isEqualTo(reply);
    }
    return ChangeResponse.parseFrom(reply);
  }

  /** Begins a file, or writes its next block somewhere. */
  private void write(Writer writer) throws Exception {
    if (writer.fid == 0) {
      writer.path = "/" + random.nextInt(PATHS);
      boolean isEmpty = random.nextInt(8) == 0;
      CreateFile file =
          CreateFile.newBuilder()
              .setPath(writer.path)
              .setMode(0644)
              .setBlockSizeLog(16)
              .setReplace(true)
              .setComplete(isEmpty)
              .build();
      ChangeResponse created = change(writer, ChangeRequest.newBuilder().setCreateFile(file));
      forget(names.put(writer.path, created.getEntry().getFid()));
      if (isEmpty) {
        closed.put(created.getEntry().getFid(), 0);
        return;
      }
      writer.fid = created.getEntry().getFid();
      writer.places.clear();
      return;
    }
    Holder holder = anyHolder();
    Block block = new Block(writer.fid, writer.places.size());
    if (holder.number != 0) {
      holder.blocks.add(block);
      writer.places.add(Place.of(holder.number, random.nextInt(3)));
      if (!holder.untold.isEmpty() && random.nextBoolean()) {
        holder.untold.add(block); // it is still telling what it has, and comes to this one too
      }
    }
  }

  private void forget(Long fid) {
    if (fid != null) {
      closed.remove(fid);
    }
  }

  private void complete(Writer writer) throws Exception {
    if (writer.fid == 0) {
      return;
    }
    CompleteFile complete =
        CompleteFile.newBuilder()
            .setFid(writer.fid)
            .setLength((long) writer.places.size() << 16)
            .addAllPlaces(writer.places)
            .build();
    ChangeResponse done = change(writer, ChangeRequest.newBuilder().setCompleteFile(complete));
    if (done.hasRefusal()) {
      AbandonFile abandon = AbandonFile.newBuilder().setFid(writer.fid).build();
      change(writer, ChangeRequest.newBuilder().setAbandonFile(abandon));
      names.remove(writer.path, writer.fid);
    } else {
      closed.put(writer.fid, writer.places.size());
      for (int number = 0; number < writer.places.size(); number++) {
        assertThat(places(writer.fid, number)).as("WHOLE_OR_ERROR").isNotEmpty();
      }
    }
    writer.fid = 0;
  }

  private void vanish(Writer writer) {
    state.apply(StoreState.expiry(writer.id, now), ++now);
    if (writer.fid != 0) {
      names.remove(writer.path, writer.fid);
    }
    fresh(writer);
  }

  private void delete(Writer writer) throws Exception {
    String path = "/" + random.nextInt(PATHS);
    DeletePath delete = DeletePath.newBuilder().setPath(path).build();
    change(writer, ChangeRequest.newBuilder().setDeletePath(delete));
    forget(names.remove(path));
  }

  // ---- workers

  /** Says the next thing that it has to say: who it is, some of what it has, or that it lives. */
  private void speak(Holder holder) throws Exception {
    if (holder.number == 0) {
      RegisterWorkerRequest asked =
          RegisterWorkerRequest.newBuilder()
              .setId(holder.id)
              .setHost("h")
              .setPort((int) holder.id)
              .build();
      byte[] reply = state.apply(StoreState.newWorker(asked), ++now);
      holder.number = RegisterWorkerResponse.parseFrom(reply).getNumber();
      holder.known = holder.number;
      holder.untold.clear();
      holder.untold.addAll(holder.blocks);
      holder.damaged.clear();
      holder.offered.clear();
    } else if (!holder.untold.isEmpty() || !holder.damaged.isEmpty()) {
      tell(holder);
    } else if (!holder.offered.isEmpty()) {
      ask(holder);
    } else if (!state.namespace().isLive(holder.number)) {
      holder.number = 0;
    } else {
      Set<Long> gone = unneeded.getOrDefault(holder.number, Set.of());
      unneeded.remove(holder.number);
      removeFiles(holder, gone);
      Set<Long> unknown = new TreeSet<>();
      holder.blocks.stream()
          .map(Block::fid)
          .filter(fid -> !state.namespace().isKnown(fid))
          .forEach(unknown::add);
      removeFiles(holder, unknown);
    }
  }

  private void tell(Holder holder) throws Exception {
    ReportBlocksRequest.Builder report = ReportBlocksRequest.newBuilder().setWorker(holder.number);
    List<Block> told = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0 && !holder.untold.isEmpty(); i--) {
      Block block = holder.untold.poll();
      told.add(block);
      report.addFids(block.fid).addBlocks(block.number).addTiers(random.nextInt(3));
    }
    if (!holder.damaged.isEmpty()) {
      Block block = holder.damaged.poll();
      told.add(block);
      report.addFids(block.fid).addBlocks(block.number).addTiers(NO_MORE);
    }
    byte[] reply = state.apply(StoreState.report(report.build()), ++now);
    ReportBlocksResponse response = ReportBlocksResponse.parseFrom(reply);
    if (response.getUnknown()) {
      holder.number = 0;
    }
    for (int index : response.getUnneededList()) {
      removeFiles(holder, Set.of(told.get(index).fid));
    }
  }

  private void removeFiles(Holder holder, Set<Long> fids) {
    for (Iterator<Block> blocks = holder.blocks.iterator(); blocks.hasNext(); ) {
      Block block = blocks.next();
      if (fids.contains(block.fid)) {
        assertThat(closed).as("CLOSED_IS_KEPT").doesNotContainKey(block.fid);
        blocks.remove();
        holder.untold.remove(block);
        holder.offered.remove(block);
      }
    }
  }

  // ---- copies

  /** Has a block of a closed file that another worker has, too, and will tell it. */
  private void copy(Holder to, Holder from) {
    List<Block> kept = kept(from);
    if (to.number != 0 && !kept.isEmpty()) {
      Block block = kept.get(random.nextInt(kept.size()));
      to.damaged.remove(block); // only the last word on it is told
      if (to.blocks.add(block)) {
        to.untold.add(block);
      }
    }
  }

  private List<Block> kept(Holder holder) {
    return holder.blocks.stream()
        .filter(block -> closed.containsKey(block.fid))
        .sorted(Comparator.comparingLong(Block::fid).thenComparingInt(Block::number))
        .toList();
  }

  /** It wants to drop a block, if others have it. */
  private void offer(Holder holder) throws Exception {
    List<Block> kept = kept(holder);
    if (holder.number != 0 && holder.untold.isEmpty() && !kept.isEmpty()) {
      holder.offered.add(kept.get(random.nextInt(kept.size())));
      ask(holder);
    }
  }

  /** Asks for what it wants to drop; the answer may get lost, and then it knows nothing. */
  private void ask(Holder holder) throws Exception {
    ReportBlocksRequest.Builder report = ReportBlocksRequest.newBuilder().setWorker(holder.number);
    List<Block> asked = List.copyOf(holder.offered);
    for (Block block : asked) {
      report.addSpare(report.getFidsCount());
      report.addFids(block.fid).addBlocks(block.number).addTiers(random.nextInt(3));
    }
    byte[] reply = state.apply(StoreState.report(report.build()), ++now);
    ReportBlocksResponse response = ReportBlocksResponse.parseFrom(reply);
    for (int index : response.getDroppedList()) {
      assertThat(holders)
          .as("LAST_STAYS")
          .anyMatch(other -> keeps(other, holder, asked.get(index)));
    }
    if (random.nextInt(3) == 0) {
      return;
    }
    holder.offered.clear();
    if (response.getUnknown()) {
      holder.number = 0;
    }
    response.getDroppedList().forEach(index -> holder.blocks.remove(asked.get(index)));
    for (int index : response.getUnneededList()) {
      removeFiles(holder, Set.of(asked.get(index).fid));
    }
  }

  /** Whether a worker has a block, or has found it damaged and not told that yet. */
  private boolean keeps(Holder other, Holder than, Block block) {
    return other != than
        && (other.blocks.contains(block) || other.damaged.contains(block))
        && state.namespace().isLive(other.known)
        && !state.namespace().uses().holders().isDraining(other.known);
  }

  /** It is to be empty, until it starts again. */
  private void drain(Holder holder) {
    if (holder.number != 0 && random.nextInt(4) == 0) {
      state.apply(StoreState.drainWorker(holder.number, random.nextBoolean()), ++now);
    }
  }

  /** The master does not hear it for too long, though it lives. */
  private void giveUp(Holder holder) {
    if (holder.known != 0) {
      state.apply(StoreState.goneWorker(holder.known), ++now);
    }
  }

  private void hit(Holder holder) {
    if (random.nextInt(4) == 0) {
      lose(holder);
    } else {
      damage(holder);
    }
  }

  /** A bit has flipped in a block of a closed file: it goes, and the master will hear it. */
  private void damage(Holder holder) {
    List<Block> kept = kept(holder);
    if (!kept.isEmpty()) {
      Block block = kept.get(random.nextInt(kept.size()));
      holder.blocks.remove(block);
      holder.untold.remove(block);
      holder.offered.remove(block);
      holder.damaged.add(block);
    }
  }

  /** Its memory and its disks are gone: what it had is nowhere, and it begins anew. */
  private void lose(Holder holder) {
    holder.blocks.clear();
    holder.untold.clear();
    holder.damaged.clear();
    holder.offered.clear();
    giveUp(holder);
    holder.number = 0;
  }

  /** Another master leads, with what the journal and a snapshot say. */
  private void takeOver() throws IOException {
    byte[] snapshot = Snapshot.of(state.freeze());
    unneeded.clear();
    state = new StoreState(listener());
    state.load(new ByteArrayInputStream(snapshot));
  }

  // ---- what must hold

  private List<Integer> places(long fid, int number) {
    try {
      for (BlockCopies block : state.namespace().blocks(fid, number, 1)) {
        List<Integer> places = new ArrayList<>();
        for (int place : block.places()) {
          places.add(Place.worker(place));
        }
        return places;
      }
      return List.of();
    } catch (NamespaceException e) {
      return fail("a closed file is there: fid=%016x", fid, e);
    }
  }

  private void check() {
    closed.forEach(
        (fid, count) -> {
          for (int number = 0; number < count; number++) {
            List<Integer> places = places(fid, number);
            Block block = new Block(fid, number);
            for (Holder holder : holders) {
              boolean isKnown = holder.number != 0 && state.namespace().isLive(holder.number);
              boolean isThere = holder.blocks.contains(block);
              boolean isSaid = holder.untold.isEmpty() && !holder.offered.contains(block);
              if (isKnown && isThere && isSaid) {
                assertThat(places).as("HOLDER_IS_KNOWN").contains(holder.number);
              }
              if (isKnown && !isThere && !holder.damaged.contains(block)) {
                assertThat(places).as("PLACE_IS_TRUE").doesNotContain(holder.number);
              }
            }
          }
        });
  }

  private void settle() throws Exception {
    writers.forEach(this::vanish);
    for (int round = 0; round < 200; round++) {
      for (Holder holder : holders) {
        speak(holder);
      }
      state.apply(state.firstEntry(), ++now);
    }
    check();
    int copies = 0;
    for (Holder holder : holders) {
      for (Block block : holder.blocks) {
        assertThat(closed).as("NOTHING_STAYS").containsKey(block.fid);
        copies++;
      }
    }
    assertThat(state.namespace().copies()).isEqualTo(copies);
    assertThat(state.hasGarbage()).isFalse();
  }
}
