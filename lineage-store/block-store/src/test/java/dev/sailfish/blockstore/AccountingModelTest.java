package dev.sailfish.blockstore;

import static dev.sailfish.blockstore.StoreFixture.STEP;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random allocations, growths, claims, seals, deletes, reads by reference, idle times and reopens
 * against a model that knows to the byte what must be used; after every step the figures, the
 * lengths of the real files and the contents agree. Another seed: {@code -Dsailfish.seed=N}.
 */
@Timeout(120)
class AccountingModelTest {
  private static final int PAGE = 4096;
  private static final int ACTIONS = 600;
  private static final long MEMORY_BYTES = 40L * STEP + 3 * PAGE;
  private static final long DISK_BYTES = 16L * STEP;

  @TempDir Path temporary;

  static LongStream seeds() {
    String asked = System.getProperty("sailfish.seed");
    return asked != null ? LongStream.of(Long.parseLong(asked)) : LongStream.range(0, 12);
  }

  @ParameterizedTest(name = "seed={0}")
  @MethodSource("seeds")
  void shouldAccountExactlyInRandomUse(long seed) throws IOException {
    Path root = StoreFixture.memoryRoot(temporary);
    Path memory = root.resolve("memory");
    try {
      try (StoreFixture fixture = StoreFixture.open(root, MEMORY_BYTES, DISK_BYTES)) {
        Model model = new Model(fixture, new Random(seed), seed % 2 != 0);
        for (int action = 0; action < ACTIONS; action++) {
          String done = model.act();
          model.check("seed=" + seed + " action=" + action + " " + done);
        }
        model.deleteEverything();
        model.check("seed=" + seed + " end");
        assertThat(fixture.usage(memory).reuseCount()).as("seed=%d", seed).isPositive();
      }
      assertThat(memory).doesNotExist();
    } finally {
      StoreFixture.removeTree(root);
    }
  }

  /** A segment as the model knows it. */
  private static final class Expected {
    final Segment segment;
    final long stamp;
    long promised;
    long claimed;
    int references = 1;
    boolean deleted;

    Expected(Segment segment, long stamp, long promised) {
      this.segment = segment;
      this.stamp = stamp;
      this.promised = promised;
    }

    long used() {
      return Math.max(promised, claimed);
    }

    long written() {
      return segment.isSealed() ? segment.length() : Math.min(promised, segment.capacity());
    }

    void write(long from, long to) {
      for (long at = from; at + 8 <= to; at += PAGE) {
        segment.buffer().putLong((int) at, stamp);
      }
    }

    void requireContent(String context) {
      requireContent(context, written());
    }

    void requireContent(String context, long length) {
      for (long at = 0; at + 8 <= length; at += PAGE) {
        assertThat(segment.buffer().getLong((int) at)).as("%s at=%d", context, at).isEqualTo(stamp);
      }
    }
  }

  private static final class Model {
    private final StoreFixture fixture;
    private final Random random;
    private final List<Expected> live = new ArrayList<>();
    private final boolean claims;
    private long stamps;

    /**
     * Without claims the files are as long as the figures say, else at least as what is promised.
     */
    Model(StoreFixture fixture, Random random, boolean claims) {
      this.fixture = fixture;
      this.random = random;
      this.claims = claims;
    }

    String act() throws IOException {
      int dice = random.nextInt(100);
      if (dice < 25 || live.isEmpty()) {
        return allocate();
      }
      Expected one = live.get(random.nextInt(live.size()));
      if (dice < (claims ? 54 : 60)) {
        return grow(one);
      }
      if (dice < 60) {
        return claim(one);
      }
      if (dice < 63) {
        return trim(one);
      }
      if (dice < 72) {
        return seal(one);
      }
      if (dice < 88) {
        return delete(one);
      }
      if (dice < 96) {
        return retainOrRelease(one);
      }
      return dice < 99 ? idle() : reopen();
    }

    private String allocate() {
      String name = "s" + stamps++;
      int steps = 1 + random.nextInt(8);
      long capacity = random.nextBoolean() ? steps * STEP : 1 + random.nextInt(steps * STEP);
      Tier preferred = random.nextInt(4) == 0 ? Tier.DISK : Tier.MEMORY;
      long first = Math.min(STEP, pages(capacity));
      Tier expected = null;
      if (preferred == Tier.MEMORY && used(Tier.MEMORY) + first <= MEMORY_BYTES) {
        expected = Tier.MEMORY;
      } else if (used(Tier.DISK) + first <= DISK_BYTES) {
        expected = Tier.DISK;
      }
      Tier actual = null;
      try {
        Segment segment = fixture.store().allocate(name, capacity, 0, preferred);
        actual = segment.tier();
        Expected one = new Expected(segment, stamps << 32, first);
        one.write(0, one.written());
        live.add(one);
      } catch (NoSpaceException e) {
        assertThat(e).hasMessageContaining("requestedBytes=" + first);
      }
      assertThat(actual).as("allocate %s capacity=%d", name, capacity).isEqualTo(expected);
      return "allocate " + name + " capacity=" + capacity + " tier=" + actual;
    }

    private String grow(Expected one) {
      if (one.deleted || one.segment.isSealed()) {
        return "nothing";
      }
      long capacity = one.segment.capacity();
      long wanted = 1 + random.nextInt((int) capacity);
      long room = capacityOf(one.segment.tier()) - used(one.segment.tier()) + one.used();
      long step = Math.min((wanted + STEP - 1) / STEP * STEP, pages(capacity));
      long target = Math.max(one.promised, step <= room ? step : pages(wanted));
      boolean expected = target <= room;
      assertThat(one.segment.ensure(wanted))
          .as("ensure %d of %s", wanted, one.segment)
          .isEqualTo(expected);
      if (expected && wanted > one.written()) {
        long before = one.written();
        one.promised = target;
        one.write(before, one.written());
      }
      return "ensure " + wanted + " of " + one.segment;
    }

    private String claim(Expected one) {
      if (one.deleted || one.segment.isSealed()) {
        return "nothing";
      }
      if (random.nextInt(4) == 0) {
        one.segment.unclaim();
        one.claimed = 0;
        return "unclaim " + one.segment;
      }
      long wanted = 1 + random.nextInt((int) one.segment.capacity());
      long target = Math.max(one.used(), pages(wanted));
      Tier tier = one.segment.tier();
      boolean expected = target - one.used() <= capacityOf(tier) - used(tier);
      assertThat(one.segment.claim(wanted))
          .as("claim %d of %s", wanted, one.segment)
          .isEqualTo(expected);
      if (expected && target > one.used()) {
        one.claimed = target;
      }
      return "claim " + wanted + " of " + one.segment;
    }

    private String trim(Expected one) {
      if (one.deleted || one.segment.isSealed()) {
        return "nothing";
      }
      long length = 1 + random.nextInt((int) one.written());
      one.segment.trim(length);
      one.promised = pages(length);
      one.claimed = 0;
      return "trim " + one.segment;
    }

    private String seal(Expected one) {
      if (one.deleted || one.segment.isSealed()) {
        return "nothing";
      }
      long length = random.nextInt((int) one.written() + 1);
      if (random.nextBoolean()) {
        one.segment.sealWithChecksum(length);
      } else {
        one.segment.seal(length);
      }
      one.promised = pages(length);
      one.claimed = 0;
      return "seal " + one.segment;
    }

    private String delete(Expected one) throws IOException {
      one.requireContent("before delete");
      if (one.segment.isSealed() && !one.deleted) {
        one.segment.verify();
      }
      assertThat(one.segment.delete()).isEqualTo(!one.deleted);
      if (!one.deleted) {
        one.deleted = true;
        dropReference(one);
      }
      return "delete " + one.segment;
    }

    private String retainOrRelease(Expected one) {
      int own = one.deleted ? one.references : one.references - 1;
      if (own > 0 && random.nextBoolean()) {
        one.requireContent("before release");
        one.segment.release();
        dropReference(one);
        return "release " + one.segment;
      }
      assertThat(one.segment.tryRetain()).isEqualTo(!one.deleted);
      if (one.deleted) {
        one.segment.retain();
      }
      one.references++;
      return "retain " + one.segment;
    }

    private void dropReference(Expected one) {
      one.references--;
      if (one.references == 0) {
        live.remove(one);
      }
    }

    private String idle() {
      fixture.advance(Duration.ofSeconds(61));
      long pooled = fixture.usage(fixture.memory).pooledBytes();
      boolean idle = live.stream().noneMatch(one -> one.segment.tier() == Tier.MEMORY);
      assertThat(fixture.blockStore().releaseIdle()).isEqualTo(idle ? pooled : 0);
      return "idle";
    }

    private String reopen() throws IOException {
      for (Expected one : List.copyOf(live)) {
        while (one.references > (one.deleted ? 0 : 1)) {
          one.segment.release();
          dropReference(one);
        }
      }
      Owner store = fixture.reopen();
      List<Expected> before = List.copyOf(live);
      live.clear();
      for (Expected one : before) {
        Segment found = store.find(one.segment.name()).orElseThrow();
        assertThat(found.isSealed()).isEqualTo(one.segment.isSealed());
        assertThat(pages(found.length())).as("%s", found).isEqualTo(one.promised);
        Expected again = new Expected(found, one.stamp, one.promised);
        again.requireContent("reopened", one.written());
        if (!found.isSealed()) {
          again.write(0, again.written()); // it may have grown to a whole page
        }
        live.add(again);
      }
      assertThat(store.recovery().sealed().size() + store.recovery().unsealed().size())
          .isEqualTo(before.size());
      return "reopen";
    }

    void deleteEverything() throws IOException {
      reopen();
      live.forEach(one -> one.requireContent("at the end"));
      for (Expected one : List.copyOf(live)) {
        delete(one);
      }
      for (int i = 0; i < 3; i++) {
        fixture.store().allocate("last" + i, STEP, 0, Tier.MEMORY).delete();
      }
    }

    void check(String context) throws IOException {
      Map<Tier, Path> places = new EnumMap<>(Tier.class);
      places.put(Tier.MEMORY, fixture.memory);
      places.put(Tier.DISK, fixture.disks.get(0));
      for (Map.Entry<Tier, Path> place : places.entrySet()) {
        Tier tier = place.getKey();
        StoreUsage.DirectoryUsage usage = fixture.usage(place.getValue());
        assertThat(usage.usedBytes()).as("%s used %s", context, usage).isEqualTo(used(tier));
        assertThat(usage.usedBytes() + usage.pooledBytes())
            .as("%s bounded %s", context, usage)
            .isLessThanOrEqualTo(usage.capacityBytes());
        assertThat(StoreFixture.fileBytes(place.getValue()))
            .as("%s real bytes %s", context, usage)
            .isBetween(
                usage.usedBytes() + usage.pooledBytes() - unused(tier),
                usage.usedBytes() + usage.pooledBytes());
        assertThat(usage.segmentsLive()).as("%s live %s", context, usage).isEqualTo(count(tier));
        assertThat(StoreFixture.files(place.getValue()))
            .as("%s files %s", context, usage)
            .hasSize(usage.segmentsLive() + usage.segmentsPooled());
      }
      live.forEach(one -> one.requireContent(context));
    }

    private long used(Tier tier) {
      return live.stream()
          .filter(one -> one.segment.tier() == tier)
          .mapToLong(Expected::used)
          .sum();
    }

    private long unused(Tier tier) {
      return used(tier)
          - live.stream()
              .filter(one -> one.segment.tier() == tier)
              .mapToLong(one -> one.promised)
              .sum();
    }

    private int count(Tier tier) {
      return (int) live.stream().filter(one -> one.segment.tier() == tier).count();
    }

    private static long capacityOf(Tier tier) {
      return tier == Tier.MEMORY ? MEMORY_BYTES : DISK_BYTES;
    }

    private static long pages(long bytes) {
      return (bytes + PAGE - 1) / PAGE * PAGE;
    }
  }
}
