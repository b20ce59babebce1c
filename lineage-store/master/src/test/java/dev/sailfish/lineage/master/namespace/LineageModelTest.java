package dev.sailfish.lineage.master.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.lineage.master.Snapshot;
import dev.sailfish.lineage.master.dependency.Breadth;
import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.Input;
import dev.sailfish.lineage.master.dependency.Output;
import dev.sailfish.lineage.master.dependency.OutputState;
import dev.sailfish.lineage.master.dependency.Part;
import dev.sailfish.lineage.master.dependency.Program;
import dev.sailfish.lineage.master.namespace.LineageModel.File;
import dev.sailfish.lineage.master.namespace.LineageModel.Holder;
import dev.sailfish.lineage.master.namespace.Recomputes.Outcome;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.RepeatedTest;

/**
 * Files are made, recorded, before and with their beginning, moved, deleted, copied between workers
 * and below, lost, and written again well and badly, deleted ones too, beside {@link LineageModel};
 * out of snapshots at any moment another peer continues. Workers start again with what they have,
 * or with nothing.
 */
@Seeded
class LineageModelTest {
  private static final Caller ROOT = new Caller("root", Set.of(), true);
  private static final String HASH = "c0".repeat(32);
  private static final int CHANGES = 1_500;
  private static final int NAMES = 12;
  private static final int LENGTH = 1_000;
  private static final int SUM = 77;
  private static final int LIMIT = 3;
  private static final int JOBS = 5;
  private static final int IDLE = 200;

  private final LineageModel model = new LineageModel();
  private final List<Holder> holders = List.of(new Holder(1), new Holder(2), new Holder(3));
  private List<Namespace> peers = new ArrayList<>(List.of(Namespace.empty()));
  private Random random;
  private long now = 1;
  private long writers;

  /** A change, made at one peer. */
  private interface Change<T> {
    T at(Namespace namespace) throws NamespaceException;
  }

  @RepeatedTest(10)
  void allPeersAreTheModel(Seed seed) throws IOException {
    random = seed.random();
    holders.forEach(holder -> register(holder, true));
    all(peer -> peer.mount("/m file:///below", ROOT, now));
    program();
    for (int i = 0; i < CHANGES; i++) {
      change();
      sweep();
      check();
      if (random.nextInt(150) == 0) {
        addPeer();
      }
    }
  }

  private void program() {
    FileInfo info = all(peer -> peer.lineage().programs().prepare(HASH, 1, ROOT, now));
    Content content = Content.of(LENGTH, Place.of(holders.get(0).number, 0));
    all(peer -> peer.writing().complete(info.fid(), 1, content, now));
  }

  /** Makes a change at all peers, which must do the same; null when it is refused. */
  private <T> T all(Change<T> change) {
    List<Object> results = new ArrayList<>();
    T last = null;
    for (Namespace peer : peers) {
      last = null;
      try {
        last = change.at(peer);
        results.add(String.valueOf(last));
      } catch (NamespaceException e) {
        results.add(e.reason() + " " + e.getMessage());
      }
    }
    assertThat(results).containsOnly(results.get(0));
    return last;
  }

  private void change() {
    now++;
    peers.forEach(peer -> peer.at(now));
    switch (random.nextInt(15)) {
      case 0, 1 -> create();
      case 2 -> complete(model.any(random, file -> !file.isComplete));
      case 3, 4 -> record();
      case 5 -> delete(model.any(random, file -> true));
      case 6 -> rename(model.any(random, file -> !file.isMounted()));
      case 7 -> copy(held());
      case 8 -> drop(held());
      case 9 -> register(any(holders), random.nextBoolean());
      case 10 -> createOutput();
      case 11 -> seal();
      case 12 -> giveUp(model.any(random, one -> model.lost().contains(one.fid)));
      default ->
          recompute(
              random.nextBoolean()
                  ? model.anyDeleted(random)
                  : model.any(random, one -> model.lost().contains(one.fid)));
    }
  }

  /** A file that a worker has, be it one that was deleted and is there again. */
  private File held() {
    List<File> revived = model.revived().stream().filter(file -> !file.holders.isEmpty()).toList();
    return revived.isEmpty() || random.nextInt(3) > 0
        ? model.any(random, file -> file.isComplete && !file.holders.isEmpty())
        : any(revived);
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private String path() {
    return (random.nextInt(3) == 0 ? "/m/" : "/d/") + (char) ('a' + random.nextInt(NAMES));
  }

  private void create() {
    String path = path();
    long writer = ++writers;
    Creation creation = new Creation(0644, 0755, 20, true, writer);
    FileInfo made = all(peer -> peer.writing().create(StorePath.of(path), creation, ROOT, now));
    model.removeAt(path);
    File file = model.add(made.fid(), path, writer);
    if (random.nextInt(3) > 0) {
      complete(file);
    }
  }

  /** Of a dependency that is growing: begun, or begun and completed at once. */
  private void createOutput() {
    List<Long> growing = model.growing();
    if (growing.isEmpty()) {
      return;
    }
    long id = any(growing);
    String path = path();
    long writer = ++writers;
    Holder holder = any(holders);
    boolean isAtOnce = random.nextBoolean();
    Creation creation = new Creation(0644, 0755, 20, true, writer);
    Part part = new Part(random.nextBoolean(), random.nextInt(9), random.nextInt(3));
    int[] places = {Place.of(holder.number, 0)};
    Content content = new Content(LENGTH, places, OptionalInt.of(SUM));
    FileInfo made =
        all(
            peer -> {
              peer.lineage().requireGrowing(id, ROOT);
              FileWriting writing = peer.writing();
              StorePath at = StorePath.of(path);
              long kept = isAtOnce ? writing.reserve(writer, 1, ROOT).get(0) : FileWriting.NEW_ID;
              FileInfo info =
                  isAtOnce
                      ? writing.write(at, creation, kept, content, ROOT, now)
                      : writing.create(at, creation, ROOT, now);
              peer.lineage().grow(id, info.fid(), part);
              return info;
            });
    model.removeAt(path);
    File file = model.add(made.fid(), path, writer);
    model.grow(id, made.fid(), now);
    if (isAtOnce) {
      written(file, holder);
    }
  }

  private void seal() {
    List<Long> growing = model.growing();
    if (random.nextInt(3) == 0) {
      peers.forEach(peer -> peer.lineage().sealIdle(now - IDLE));
      model.sealIdle(now - IDLE);
    } else if (!growing.isEmpty() && random.nextInt(3) == 0) {
      long id = any(growing);
      all(peer -> done(() -> peer.lineage().seal(id, ROOT)));
      model.seal(id);
    }
  }

  private void complete(File file) {
    if (file == null) {
      return;
    }
    Holder holder = any(holders);
    int[] places = {Place.of(holder.number, 0)};
    Content content = new Content(LENGTH, places, OptionalInt.of(SUM));
    FileInfo info = all(peer -> peer.writing().complete(file.fid, file.writer, content, now));
    assertThat(info).isNotNull();
    written(file, holder);
  }

  private static void written(File file, Holder holder) {
    file.isComplete = true;
    file.holders.add(holder);
    holder.blocks.put(file.fid, true);
  }

  private void record() {
    List<Long> inputs = new ArrayList<>();
    List<Long> outputs = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      File input =
          random.nextInt(4) == 0
              ? model.anyDeleted(random)
              : model.any(random, file -> file.isComplete || model.isOutput(file.fid));
      File output = model.any(random, file -> true);
      if (input != null) {
        inputs.add(input.fid);
      }
      if (output != null) {
        outputs.add(output.fid);
      }
    }
    boolean isGrowing = random.nextInt(3) == 0;
    String name = random.nextBoolean() ? "job_" + random.nextInt(JOBS) : "";
    Dependency.Recipe recipe =
        new Dependency.Recipe(
            "root",
            name,
            Breadth.WIDE,
            inputs.stream().map(Input::of).toList(),
            List.of(new Program("job.jar", HASH)),
            new byte[0]);
    List<Output> asked = outputs.stream().map(fid -> Output.pending(fid, Part.of(0))).toList();
    Long there = model.named(name);
    Long id =
        all(
            peer ->
                isGrowing
                    ? peer.lineage().createGrowing(recipe, asked, false, ROOT)
                    : peer.lineage().create(recipe, asked, false, ROOT));
    if (there != null) {
      assertThat(id).isEqualTo(there);
      return;
    }
    boolean fits = model.fits(inputs, outputs) && (isGrowing || !outputs.isEmpty());
    assertThat(id != null).as("%s of %s", outputs, inputs).isEqualTo(fits);
    if (id != null) {
      model.record(id, name, inputs, outputs);
    }
    if (id != null && isGrowing) {
      model.grows(id, now);
    }
  }

  private void delete(File file) {
    if (file != null) {
      all(peer -> done(() -> peer.delete(StorePath.of(file.path), false, ROOT, now)));
      model.removeAt(file.path);
    }
  }

  private interface Step {
    void run() throws NamespaceException;
  }

  private static boolean done(Step step) throws NamespaceException {
    step.run();
    return true;
  }

  private void rename(File file) {
    String to = "/d/" + (char) ('a' + random.nextInt(NAMES));
    if (file != null && !file.path.equals(to)) {
      all(
          peer ->
              done(() -> peer.rename(StorePath.of(file.path), StorePath.of(to), true, ROOT, now)));
      model.removeAt(to);
      file.path = to;
    }
  }

  /** To another worker, or below. */
  private void copy(File file) {
    if (file == null || model.state(file.fid).isLost()) {
      return;
    }
    if (file.isMounted() && !file.isDeleted && random.nextBoolean()) {
      Below below = new Below(false, LENGTH, 1, "v", OptionalInt.empty(), false);
      all(peer -> done(() -> peer.mounted().record(file.fid, StorePath.of(file.path), below)));
      file.isBelow = true;
      return;
    }
    Holder to = any(holders);
    if (file.holders.contains(to)) {
      return;
    }
    // A worker does not copy what it has, be it of no use.
    if (to.blocks.containsKey(file.fid)) {
      say(to, file.fid);
      return;
    }
    to.blocks.put(file.fid, true);
    say(to, file.fid);
  }

  /** A worker says that it has a block, and deletes it if nobody needs it. */
  private void say(Holder holder, long fid) {
    int place = Place.of(holder.number, random.nextInt(3));
    boolean isNeeded = all(peer -> peer.hold(fid, 0, place));
    model.said(holder, fid);
    if (!isNeeded) {
      holder.blocks.remove(fid);
    }
  }

  private void drop(File file) {
    if (file != null) {
      Holder holder = file.holders.iterator().next();
      peers.forEach(peer -> peer.release(file.fid, 0, holder.number));
      holder.blocks.remove(file.fid);
      file.holders.remove(holder);
    }
  }

  /** The worker starts again, with what it has or with nothing. */
  private void register(Holder holder, boolean isEmpty) {
    Worker worker = all(peer -> peer.addWorker(holder.id, "host", (int) holder.id));
    holder.number = worker.number();
    model.forget(holder);
    if (isEmpty) {
      holder.blocks.clear();
    }
    for (long fid : List.copyOf(holder.blocks.keySet())) {
      say(holder, fid);
    }
    peers.forEach(peer -> peer.lineage().lookForLost());
  }

  private void recompute(File file) {
    if (file == null) {
      return;
    }
    long writer = ++writers;
    boolean isFree = model.isFree(file);
    FileInfo begun = all(peer -> peer.lineage().recomputes().begin(file.fid, writer, ROOT, now));
    assertThat(begun != null).isEqualTo(isFree);
    if (!isFree) {
      if (file.attempt != 0) {
        end(file);
      }
      return;
    }
    file.attempt = writer;
    file.isRevived = file.isDeleted;
    if (random.nextBoolean()) {
      rewrite(file);
    }
  }

  private void giveUp(File file) {
    if (file == null) {
      return;
    }
    String cause = random.nextInt(3) == 0 ? "" : "cause " + random.nextInt(5);
    boolean isKnown = !peers.get(0).lineage().graph().givenUp().cause(file.fid).isEmpty();
    all(peer -> done(() -> peer.lineage().recomputes().giveUp(file.fid, cause, ROOT)));
    if (isKnown || !cause.isEmpty()) {
      file.attempt = 0;
      file.at = null;
      file.isInterrupted = false;
      file.isGivenUp = !cause.isEmpty();
    }
    peers.forEach(
        peer -> assertThat(peer.lineage().graph().givenUp().cause(file.fid)).isEqualTo(cause));
  }

  private void rewrite(File file) {
    Holder holder = any(holders);
    long attempt = peers.get(0).lineage().recomputes().attempt(file.fid);
    int place = Place.of(holder.number, 0);
    Boolean isPermitted =
        all(peer -> done(() -> peer.lineage().recomputes().rewrite(file.fid, 0, place, attempt)));
    assertThat(isPermitted).isTrue();
    file.at = holder;
    file.doubted.add(holder);
    holder.blocks.put(file.fid, random.nextInt(3) > 0);
  }

  /** The attempt ends: well, badly, or because its client gives up or is gone. */
  private void end(File file) {
    Recomputes.Outcome outcome = null;
    if (file.at != null && file.at.blocks.containsKey(file.fid)) {
      boolean isSame = file.at.blocks.get(file.fid);
      int[] places = {Place.of(file.at.number, 0)};
      Content content = new Content(LENGTH, places, OptionalInt.of(isSame ? SUM : SUM + 1));
      outcome = all(peer -> peer.lineage().recomputes().complete(file.fid, file.attempt, content));
      assertThat(outcome).isEqualTo(isSame ? Outcome.SAME : Outcome.DIFFERENT);
      if (isSame) {
        file.holders.add(file.at);
        file.doubted.remove(file.at);
      }
    } else if (random.nextBoolean()) {
      peers.forEach(peer -> peer.clientGone(file.attempt, now));
    } else {
      all(peer -> done(() -> peer.lineage().recomputes().abandon(file.fid, file.attempt)));
    }
    file.isInterrupted = outcome != Outcome.SAME;
    file.isWhole = outcome == Outcome.SAME;
    file.attempt = 0;
    file.at = null;
  }

  private void sweep() {
    for (Namespace peer : peers) {
      boolean more = true;
      while (more) {
        more = peer.sweep(LIMIT, (fid, number) -> {});
      }
    }
    model.collect();
  }

  private void check() {
    for (Namespace peer : peers) {
      List<Long> kept = new ArrayList<>();
      for (Dependency dependency : peer.lineage().graph().after(0)) {
        kept.add(dependency.id());
        assertThat(dependency.allOutputs())
            .extracting(Output::fid)
            .isEqualTo(model.outputs(dependency.id()));
        for (Output output : dependency.allOutputs()) {
          OutputState expected = model.state(output.fid());
          assertThat(output.state()).as("%016x", output.fid()).isEqualTo(expected);
          String cause = peer.lineage().graph().givenUp().cause(output.fid());
          assertThat(cause).isEqualTo(peers.get(0).lineage().graph().givenUp().cause(output.fid()));
          assertThat(expected == OutputState.LOST || cause.isEmpty()).isTrue();
        }
      }
      assertThat(kept).isEqualTo(model.dependencies());
      assertThat(peer.lineage().graph().growingAfter(0))
          .extracting(Dependency::id)
          .isEqualTo(model.growing());
      assertThat(peer.lineage().graph().lostAfter(0))
          .containsExactlyInAnyOrderElementsOf(model.lost());
      model.files().forEach(file -> checkCopies(peer, file));
      model.revived().forEach(file -> checkCopies(peer, file));
    }
  }

  /** Who counts as a holder has the bytes that were written first. */
  private void checkCopies(Namespace peer, File file) {
    List<Integer> expected = file.holders.stream().map(holder -> holder.number).sorted().toList();
    List<Integer> known = new ArrayList<>();
    try {
      for (BlockCopies copies : peer.blocks(file.fid, 0, 1)) {
        for (int place : copies.places()) {
          known.add(Place.worker(place));
        }
      }
    } catch (NamespaceException e) {
      throw new AssertionError(e);
    }
    assertThat(known).containsExactlyInAnyOrderElementsOf(expected);
    file.holders.forEach(holder -> assertThat(holder.blocks).containsEntry(file.fid, true));
  }

  private void addPeer() throws IOException {
    byte[] snapshot = Snapshot.of(any(peers).freeze());
    peers.add(Namespace.read(new ByteArrayInputStream(snapshot)));
    if (peers.size() > 3) {
      peers = new ArrayList<>(peers.subList(peers.size() - 3, peers.size()));
    }
  }
}
