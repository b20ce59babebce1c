package dev.sailfish.lineage.master.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sailfish.lineage.master.Snapshot;
import dev.sailfish.lineage.master.namespace.Below;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.MountedFile;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Place;
import dev.sailfish.lineage.master.namespace.Sighting;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.master.state.UseChecks.Block;
import dev.sailfish.lineage.master.state.UseChecks.Closed;
import dev.sailfish.lineage.master.state.UseChecks.Holder;
import dev.sailfish.lineage.protocol.wire.AbandonFile;
import dev.sailfish.lineage.protocol.wire.AddMount;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.ChangeResponse;
import dev.sailfish.lineage.protocol.wire.CompleteFile;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DeletePath;
import dev.sailfish.lineage.protocol.wire.RecordCopy;
import dev.sailfish.lineage.protocol.wire.RemoveMount;
import dev.sailfish.lineage.protocol.wire.RenamePath;
import dev.sailfish.lineage.protocol.wire.SetExpiry;
import dev.sailfish.lineage.protocol.wire.SetPin;
import dev.sailfish.lineage.protocol.wire.SetQuota;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.testkit.Seed;
import dev.sailfish.testkit.Seeded;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The master's state with quotas, times to live, pins and a mount, whose under store is slow, loses
 * calls and is changed by others: what is seen below, copied there or read from there comes late or
 * never. Workers let blocks go that are below, load them again, and lose all they have; masters
 * take over. Each schedule is one seed, on one thread. What holds after each step, {@link
 * UseChecks} names.
 */
@Seeded
class UseScheduleTest {
  private static final int STEPS = 150;
  private static final int BLOCK_LOG = 16;
  private static final int NAMES = 3;
  private static final int MOST_ON_THEIR_WAY = 6;
  private static final String MOUNT = "/m";
  private static final List<String> DIRECTORIES = List.of("/a", "/a/b", MOUNT, "/m/c");
  private static final StoreUser ROOT =
      StoreUser.newBuilder().setName("root").setSuperuser(true).build();

  /** How a file is written. */
  private enum Mode {
    MEMORY,
    THROUGH,
    BYPASS
  }

  /** A file that is being written. */
  private static final class Write {
    private final long client;
    private long fid;
    private Mode mode;
    private long length;
    private final List<Integer> places = new ArrayList<>();
    private boolean isCopied;

    Write(long client) {
      this.client = client;
    }
  }

  /** A copy on its way below, first under another name; {@code writer} is null for closed files. */
  private record Copy(long fid, String path, Below known, long length, Write writer) {}

  /** What was seen below, on its way to the journal. */
  private record Look(String path, Sighting sighting) {}

  /** A block on its way from below to a worker. */
  private record Load(Holder holder, long fid, int block, String path, Below recorded, long data) {}

  private final List<Holder> holders = List.of(new Holder(1), new Holder(2));
  private final UseWorkers workers = new UseWorkers();
  private final List<Write> writes = new ArrayList<>();
  private final List<Copy> copies = new ArrayList<>();
  private final List<Look> looks = new ArrayList<>();
  private final List<Load> loads = new ArrayList<>();

  private Random random;
  private StoreState state;
  private BelowWorld world;
  private UseChecks checks;
  private long now;
  private long changes;

  @Test
  void threeHundredSchedules(Seed seed) throws Exception {
    Schedules.run(300, seed, this::run);
  }

  @Test
  @Tag("long")
  void twentyThousandSchedules(Seed seed) throws Exception {
    Schedules.run(20_000, seed, this::run);
  }

  private void run(Random chosen) throws Exception {
    random = chosen;
    state = new StoreState(workers.listener());
    world = new BelowWorld();
    checks = new UseChecks(world, holders);
    now = 1;
    changes = 0;
    List.of(writes, copies, looks, loads).forEach(List::clear);
    holders.forEach(Holder::clear);
    workers.follow(state, checks);
    for (int i = 0; i < 2; i++) {
      writes.add(new Write(2 + i));
    }
    if (random.nextInt(3) > 0) {
      mount();
    }
    for (int i = 0; i < STEPS; i++) {
      now += random.nextInt(4);
      checks.begin();
      step();
      checks.check(state.namespace());
    }
    settle();
  }

  private void step() throws Exception {
    switch (random.nextInt(28)) {
      case 0, 1, 2, 3, 4, 5 -> write(any(writes));
      case 6 -> vanish(any(writes));
      case 7 -> delete();
      case 8 -> rename();
      case 9 -> setQuota();
      case 10 -> setExpiry();
      case 11 -> setPin();
      case 12, 13 -> expire();
      case 14, 15 -> look();
      case 16, 17 -> arrive();
      case 18 -> copyClosed();
      case 19, 20 -> goOnCopying();
      case 21, 22 -> workers.speak(any(holders), now);
      case 23 -> workers.evict(any(holders), random, now);
      case 24 -> load(any(holders));
      case 25 -> changeBelow();
      case 26 -> trouble();
      default -> checks.read(state.namespace(), anyPath(), random);
    }
  }

  private <T> T any(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private String anyPath() {
    return any(DIRECTORIES) + "/" + random.nextInt(NAMES);
  }

  private ChangeResponse change(long client, ChangeRequest.Builder what)
      throws InvalidProtocolBufferException {
    changes++;
    ChangeRequest change =
        what.setClient(client).setNumber(changes).setAnsweredBelow(changes).setUser(ROOT).build();
    return ChangeResponse.parseFrom(state.apply(StoreState.change(change, now), now));
  }

  private boolean isDone(ChangeRequest.Builder what) throws InvalidProtocolBufferException {
    return !change(1, what).hasRefusal();
  }

  // ---- clients

  /** Begins a file, goes on with it, or closes it. */
  private void write(Write write) throws Exception {
    if (write.fid == 0) {
      begin(write);
    } else if (write.mode != Mode.BYPASS && write.places.size() << BLOCK_LOG < write.length) {
      Holder holder = any(holders);
      if (holder.number != 0) {
        holder.blocks.put(new Block(write.fid, write.places.size()), write.fid);
        write.places.add(Place.of(holder.number, 0));
      }
    } else if (write.mode != Mode.MEMORY && !write.isCopied) {
      beginCopy(write);
    } else {
      close(write);
    }
  }

  private void begin(Write write) throws Exception {
    String path = anyPath();
    CreateFile file =
        CreateFile.newBuilder()
            .setPath(path)
            .setMode(0644)
            .setMakeParents(true)
            .setParentMode(0755)
            .setBlockSizeLog(BLOCK_LOG)
            .setReplace(random.nextBoolean())
            .build();
    checks.mayGo(path);
    ChangeResponse created = change(write.client, ChangeRequest.newBuilder().setCreateFile(file));
    if (!created.hasRefusal()) {
      write.fid = created.getEntry().getFid();
      write.length = (long) random.nextInt(3) << BLOCK_LOG;
      write.mode = isMounted(path) ? any(List.of(Mode.values())) : Mode.MEMORY;
      write.isCopied = false;
      write.places.clear();
    }
  }

  private boolean isMounted(String path) throws NamespaceException {
    return state.namespace().mounted().find(StorePath.of(path)).isPresent();
  }

  private void close(Write write) throws Exception {
    CompleteFile complete =
        CompleteFile.newBuilder()
            .setFid(write.fid)
            .setLength(write.length)
            .addAllPlaces(write.places)
            .build();
    ChangeResponse done =
        change(write.client, ChangeRequest.newBuilder().setCompleteFile(complete));
    if (done.hasRefusal()) {
      AbandonFile abandon = AbandonFile.newBuilder().setFid(write.fid).build();
      change(write.client, ChangeRequest.newBuilder().setAbandonFile(abandon));
    } else {
      checks.closed(write.fid, new Closed(write.fid, write.length));
    }
    write.fid = 0;
  }

  private void vanish(Write write) {
    state.apply(StoreState.expiry(write.client, now), now);
    write.fid = 0;
  }

  private String anyToMove() {
    return random.nextInt(4) == 0 ? any(List.of("/a/b", "/m/c")) : anyPath();
  }

  /** Below first, as the leader does it; what was seen there before counts no more. */
  private void delete() throws Exception {
    String path = anyToMove();
    checks.mayGo(path);
    if (isMounted(path) && isThere(path)) {
      world.delete(path);
    }
    disturb(path);
    change(
        1,
        ChangeRequest.newBuilder()
            .setDeletePath(DeletePath.newBuilder().setPath(path).setRecursive(true)));
  }

  private boolean isThere(String path) throws NamespaceException {
    StorePath asked = StorePath.of(path);
    return state.namespace().mounted().knownDepth(asked) == asked.depth();
  }

  private void disturb(String path) {
    looks.removeIf(
        look -> BelowWorld.isWithin(look.path, path) || BelowWorld.isWithin(path, look.path));
  }

  private void rename() throws Exception {
    String from = anyToMove();
    String to = anyToMove();
    boolean isReplaced = random.nextBoolean();
    StorePath source = StorePath.of(from);
    StorePath target = StorePath.of(to);
    try {
      state.namespace().requireRenamable(source, target, isReplaced, StoreMessages.caller(ROOT));
    } catch (NamespaceException e) {
      return;
    }
    if (from.equals(to)) {
      return;
    }
    checks.mayGo(to);
    if (isMounted(from)) {
      moveBelow(source, target);
    }
    disturb(from);
    disturb(to);
    RenamePath rename =
        RenamePath.newBuilder().setFrom(from).setTo(to).setReplace(isReplaced).build();
    assertThat(isDone(ChangeRequest.newBuilder().setRenamePath(rename))).isTrue();
  }

  /** What is not below in its place is not moved there; what it replaces goes, if it was known. */
  private void moveBelow(StorePath from, StorePath to) {
    boolean isBelow =
        state.namespace().mounted().below(from).map(below -> !below.isReplaced()).orElse(false);
    boolean isReplaced =
        state.namespace().mounted().below(to).map(below -> !below.isReplaced()).orElse(false);
    if (isBelow) {
      world.move(from.toString(), to.toString());
    } else if (isReplaced && state.namespace().mounted().isDirectory(to)) {
      world.delete(to.toString());
    }
  }

  // ---- what may be used, and for how long

  private void setQuota() throws Exception {
    SetQuota quota =
        SetQuota.newBuilder()
            .setPath(any(DIRECTORIES))
            .setNames(random.nextInt(8))
            .setBytes((long) random.nextInt(6) << BLOCK_LOG)
            .build();
    isDone(ChangeRequest.newBuilder().setSetQuota(quota));
  }

  private void setExpiry() throws Exception {
    String path = anyPath();
    boolean isFreed = random.nextBoolean();
    int after = random.nextInt(60);
    SetExpiry expiry =
        SetExpiry.newBuilder().setPath(path).setAfterMs(after).setFree(isFreed).build();
    if (isDone(ChangeRequest.newBuilder().setSetExpiry(expiry))) {
      checks.ends(fid(path), after == 0 ? 0 : now + after, isFreed);
    }
  }

  private long fid(String path) throws NamespaceException {
    return state.namespace().stat(StorePath.of(path), StoreMessages.caller(ROOT)).fid();
  }

  private void setPin() throws Exception {
    String path = random.nextInt(3) == 0 ? any(DIRECTORIES) : anyPath();
    boolean isPinned = random.nextInt(3) > 0;
    SetPin pin = SetPin.newBuilder().setPath(path).setPinned(isPinned).build();
    if (isDone(ChangeRequest.newBuilder().setSetPin(pin))) {
      checks.pinned(fid(path), isPinned);
    }
  }

  private void expire() {
    checks.expire(state.namespace(), now);
    state.apply(StoreState.expireFiles(now), now);
  }

  // ---- the mount

  private void mount() throws Exception {
    AddMount mount = AddMount.newBuilder().setMount(MOUNT + " file:///below").build();
    isDone(ChangeRequest.newBuilder().setAddMount(mount));
  }

  private void look() throws Exception {
    String path = random.nextInt(4) == 0 ? "/m/c" : anyPath();
    if (isMounted(path) && looks.size() < MOST_ON_THEIR_WAY) {
      Sighting sighting =
          state.namespace().mounted().sighting(StorePath.of(path), world.found(path));
      looks.add(new Look(path, sighting));
    }
  }

  /** What was seen comes, or a block that was read; or it hangs, and is given up. */
  private void arrive() throws Exception {
    if (!looks.isEmpty() && random.nextBoolean()) {
      Look look = looks.remove(random.nextInt(looks.size()));
      if (random.nextInt(5) > 0) {
        Sighting known = state.namespace().mounted().sighting(look.sighting.path(), null);
        boolean isAsBefore =
            known.fid() == look.sighting.fid()
                && Objects.equals(known.known(), look.sighting.known());
        if (isAsBefore) {
          checks.mayGo(look.path);
          checks.isSeen();
        }
        state.apply(StoreState.seen(List.of(), List.of(look.sighting), now), now);
      }
    } else if (!loads.isEmpty()) {
      Load load = loads.remove(random.nextInt(loads.size()));
      boolean isWhole = world.isAsRecorded(load.path, load.recorded);
      if (isWhole && load.holder.number != 0) {
        Block block = new Block(load.fid, load.block);
        load.holder.blocks.put(block, load.data);
        load.holder.below.add(load.fid);
        workers.report(load.holder, List.of(block), 0, now);
      }
    }
  }

  private void load(Holder holder) throws Exception {
    MountedFile file = mountedFile(anyPath());
    if (file != null && file.info().isBelow() && loads.size() < MOST_ON_THEIR_WAY) {
      int count = (int) (file.info().length() >> BLOCK_LOG);
      boolean isThere = world.isAsRecorded(file.path(), file.below());
      if (count > 0 && isThere) {
        long data = world.at(file.path()).data();
        loads.add(
            new Load(
                holder, file.info().fid(), random.nextInt(count), file.path(), file.below(), data));
      }
    }
  }

  private MountedFile mountedFile(String path) {
    try {
      return state.namespace().mountedFile(fid(path));
    } catch (NamespaceException e) {
      return null;
    }
  }

  private void copyClosed() throws Exception {
    MountedFile file = mountedFile(anyPath());
    if (file != null && file.info().isComplete() && !file.info().isBelow()) {
      FileInfo info = file.info();
      copies.add(new Copy(info.fid(), file.path(), file.below(), info.length(), null));
    }
  }

  /**
   * Once in a while a writer says another length at the end of the copy than at that of the file.
   */
  private void beginCopy(Write write) throws Exception {
    MountedFile file;
    try {
      file = state.namespace().mountedFile(write.fid);
    } catch (NamespaceException e) {
      write.isCopied = true; // it cannot be any more, and closing it is refused
      return;
    }
    if (copies.stream().noneMatch(copy -> copy.writer == write)) {
      long length = random.nextInt(10) == 0 ? write.length / 2 : write.length;
      copies.add(new Copy(write.fid, file.path(), file.below(), length, write));
    }
  }

  /** A copy gets its name and is recorded, or comes to nothing before or between. */
  private void goOnCopying() throws Exception {
    if (copies.isEmpty()) {
      return;
    }
    Copy copy = copies.remove(random.nextInt(copies.size()));
    Write writer = copy.writer;
    boolean isWanted = writer == null || writer.fid == copy.fid;
    Sighting.Found found = world.found(copy.path);
    Below there = found == null ? null : found.file();
    boolean isAsKnown =
        copy.known == null ? there == null : there != null && copy.known.isSameContent(there);
    if (!isWanted || !isAsKnown || random.nextInt(5) == 0) {
      return;
    }
    boolean isWhole = writer == null || copy.length == writer.length;
    BelowWorld.Content made = world.put(copy.path, isWhole ? copy.fid : -copy.fid, copy.length);
    if (random.nextInt(8) > 0) {
      record(copy, made);
    }
  }

  private void record(Copy copy, BelowWorld.Content made) throws Exception {
    RecordCopy record =
        RecordCopy.newBuilder()
            .setFid(copy.fid)
            .setPath(copy.path)
            .setFile(StoreMessages.record(made.below()))
            .build();
    if (!isDone(ChangeRequest.newBuilder().setRecordCopy(record))) {
      world.delete(copy.path);
    } else if (copy.writer != null) {
      copy.writer.isCopied = true;
    }
  }

  /** Somebody else writes or deletes a file below. */
  private void changeBelow() {
    String path = any(List.of(MOUNT, "/m/c")) + "/" + random.nextInt(NAMES);
    checks.touched(path);
    boolean isDirectory = world.at(path) == null && world.found(path) != null;
    if (isDirectory || random.nextBoolean()) {
      world.delete(path);
    } else {
      world.put(path, -1, (long) random.nextInt(3) << BLOCK_LOG);
    }
  }

  // ---- workers and masters

  private void trouble() throws Exception {
    Holder holder = any(holders);
    switch (random.nextInt(6)) {
      case 0 -> {
        checks.lost(holder);
        holder.clear();
      }
      case 1, 2 -> {
        if (holder.number != 0) {
          state.apply(StoreState.goneWorker(holder.number), now);
        }
      }
      case 3 -> takeOver();
      case 4 -> unmount();
      default -> mount();
    }
  }

  private void unmount() throws Exception {
    RemoveMount unmount =
        RemoveMount.newBuilder().setPath(MOUNT).setForce(random.nextBoolean()).build();
    checks.mayGo(MOUNT);
    if (isDone(ChangeRequest.newBuilder().setRemoveMount(unmount))) {
      looks.clear();
    }
  }

  /** Another master leads, with what a snapshot says. */
  private void takeOver() throws IOException {
    byte[] snapshot = Snapshot.of(state.freeze());
    state = new StoreState(workers.listener());
    workers.follow(state, checks);
    state.load(new ByteArrayInputStream(snapshot));
  }

  private void settle() throws Exception {
    checks.begin();
    writes.forEach(this::vanish);
    for (int round = 0; round < 10; round++) {
      for (Holder holder : holders) {
        workers.speak(holder, now);
      }
      state.apply(state.firstEntry(), now);
    }
    checks.check(state.namespace());
    checks.settled(state.namespace());
    if (state.hasGarbage()) {
      fail("something was never freed");
    }
  }
}
