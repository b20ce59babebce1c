package dev.sailfish.imerger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.RecordChecksum;
import dev.sailfish.format.order.KeyOrder;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.ChunkDescription;
import dev.sailfish.protocol.wire.ChunkLocation;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.WinnerManifest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One partition of a job as a test wants it: map attempts with their records, their blocks spread
 * over chunks, and the order in which everything has to come out.
 */
final class Partition {
  static final String JOB = "job_1_0001";
  static final int NUMBER = 3;

  private final KeyOrder order;
  private final CodecId codec;
  private final Map<Long, Attempt> attempts = new TreeMap<>();
  private final Map<Long, List<Block>> chunks = new TreeMap<>();
  private final Map<Long, InetSocketAddress> places = new ConcurrentHashMap<>();
  private final Map<Long, ChunkState> states = new ConcurrentHashMap<>();
  private int runsPerChunk = 1;
  private int sortedBlockBytes = 4096;

  /** A record with its key as the job serializes it. */
  record Item(byte[] key, byte[] value) {}

  /** An appended block. */
  record Block(int map, int attempt, int sequence, List<Item> items) {}

  /** What an attempt appended, and which chunk it believes each block to be in. */
  private static final class Attempt {
    private final List<Block> blocks = new ArrayList<>();
    private final List<Long> chunkOfBlock = new ArrayList<>();
    private long promised = -1;
    private boolean otherRecords;
  }

  Partition(KeyOrder order, CodecId codec) {
    this.order = order;
    this.codec = codec;
  }

  KeyOrder order() {
    return order;
  }

  Partition withRunsPerChunk(int runs) {
    runsPerChunk = runs;
    return this;
  }

  Partition withSortedBlockBytes(int bytes) {
    sortedBlockBytes = bytes;
    return this;
  }

  private static long key(int map, int attempt) {
    return (long) map << 32 | attempt;
  }

  /** Appends a block that the manifest of its attempt names. */
  Block append(int map, int attempt, long chunk, List<Item> items) {
    Attempt of = attempts.computeIfAbsent(key(map, attempt), ignored -> new Attempt());
    List<Item> emitted = new ArrayList<>(items);
    if (order.ordering() == Ordering.COMPARATOR) {
      emitted.sort(this::compareKeys);
    }
    Block block = new Block(map, attempt, of.blocks.size(), emitted);
    of.blocks.add(block);
    of.chunkOfBlock.add(chunk);
    duplicate(block, chunk);
    return block;
  }

  /** An attempt that wrote nothing here. */
  void appendNothing(int map, int attempt) {
    attempts.put(key(map, attempt), new Attempt());
  }

  /** The same block once more in a chunk, not named by the manifest. */
  void duplicate(Block block, long chunk) {
    chunks.computeIfAbsent(chunk, ignored -> new ArrayList<>()).add(block);
  }

  /** Makes a manifest promise another number of records than there are. */
  void promise(int map, int attempt, long records) {
    attempts.get(key(map, attempt)).promised = records;
  }

  /** Makes a manifest promise another checksum than its records have. */
  void promiseOtherRecords(int map, int attempt) {
    attempts.get(key(map, attempt)).otherRecords = true;
  }

  void place(long chunk, InetSocketAddress server) {
    places.put(chunk, server);
  }

  void setState(long chunk, ChunkState state) {
    states.put(chunk, state);
  }

  Iterable<Long> chunkIds() {
    return chunks.keySet();
  }

  private byte[] normalized(byte[] key) {
    return ChunkFile.normalized(order, key);
  }

  int compareKeys(Item left, Item right) {
    if (order.ordering() == Ordering.COMPARATOR) {
      return order
          .comparator()
          .compare(left.key, 0, left.key.length, right.key, 0, right.key.length);
    }
    return Arrays.compareUnsigned(normalized(left.key), normalized(right.key));
  }

  /** What has to come out for these winners, in this order. */
  List<Item> expected(int... winners) {
    List<Item> items = new ArrayList<>();
    Map<Integer, Integer> byMap = new TreeMap<>();
    for (int i = 0; i < winners.length; i += 2) {
      byMap.put(winners[i], winners[i + 1]);
    }
    byMap.forEach(
        (map, attempt) -> {
          for (Block block : attempts.get(key(map, attempt)).blocks) {
            items.addAll(block.items);
          }
        });
    items.sort(this::compareKeys);
    return items;
  }

  /** Answers as a metaserver does. */
  PlanPartitionResponse plan(PlanPartitionRequest request) {
    PlanPartitionResponse.Builder plan =
        PlanPartitionResponse.newBuilder().setOrdering(order.ordering().code());
    for (long chunk : chunks.keySet()) {
      plan.addChunks(
          ChunkLocation.newBuilder()
              .setChunk(chunk)
              .setState(states.getOrDefault(chunk, ChunkState.SORTED).code())
              .setServerId("server")
              .setHost(places.get(chunk).getHostString())
              .setPort(places.get(chunk).getPort()));
    }
    for (int i = 0; i < request.getWinnersCount(); i += 2) {
      int map = request.getWinners(i);
      int attempt = request.getWinners(i + 1);
      plan.addWinners(manifest(map, attempt, attempts.get(key(map, attempt))));
    }
    return plan.build();
  }

  private WinnerManifest manifest(int map, int attempt, Attempt of) {
    WinnerManifest.Builder manifest =
        WinnerManifest.newBuilder().setMap(map).setAttempt(attempt).setKnown(of != null);
    if (of == null) {
      return manifest.build();
    }
    long records = 0;
    long bytes = 0;
    long checksum = of.otherRecords ? 1 : 0;
    Map<Long, ChunkBlocks.Builder> byChunk = new TreeMap<>();
    for (int i = 0; i < of.blocks.size(); i++) {
      records += of.blocks.get(i).items.size();
      for (Item item : of.blocks.get(i).items) {
        byte[] key = normalized(item.key);
        byte[] record = Arrays.copyOf(key, key.length + item.value.length);
        System.arraycopy(item.value, 0, record, key.length, item.value.length);
        bytes += record.length;
        checksum += new RecordChecksum().of(record, 0, key.length, item.value.length);
      }
      ChunkBlocks.Builder blocks =
          byChunk.computeIfAbsent(
              of.chunkOfBlock.get(i), chunk -> ChunkBlocks.newBuilder().setChunk(chunk));
      int last = blocks.getSequencesCount();
      if (last > 0 && blocks.getSequences(last - 2) + blocks.getSequences(last - 1) == i) {
        blocks.setSequences(last - 1, blocks.getSequences(last - 1) + 1);
      } else {
        blocks.addSequences(i).addSequences(1);
      }
    }
    byChunk.values().forEach(blocks -> manifest.addBlocks(blocks.build()));
    return manifest
        .setRecords(of.promised < 0 ? records : of.promised)
        .setRecordBytes(bytes)
        .setChecksum(checksum)
        .setBlockAttempt(attempt)
        .build();
  }

  /** Answers as a metaserver does. */
  DescribeJobResponse describe() {
    DescribeJobResponse.Builder job = DescribeJobResponse.newBuilder();
    for (long chunk : chunks.keySet()) {
      job.addChunks(
          ChunkDescription.newBuilder()
              .setChunk(chunk)
              .setPartition(NUMBER)
              .setRack(chunk % 2 == 0 ? "/a" : "/b")
              .setHost(places.get(chunk).getHostString())
              .setPort(places.get(chunk).getPort()));
    }
    return job.build();
  }

  /** The file of a sorted chunk. */
  byte[] file(long chunk) {
    List<Block> blocks = new ArrayList<>(chunks.get(chunk));
    blocks.sort(
        Comparator.comparingInt(Block::map)
            .thenComparingInt(Block::attempt)
            .thenComparingInt(Block::sequence));
    return new ChunkFile(order, codec, chunk).write(blocks, runsPerChunk, sortedBlockBytes);
  }

  /** The next records that a reader gives are these. */
  static void assertNext(Imerger imerger, List<Item> expected) throws IOException {
    for (Item item : expected) {
      assertThat(imerger.next()).isTrue();
      int keyEnd = imerger.keyOffset() + imerger.keyLength();
      int valueEnd = imerger.valueOffset() + imerger.valueLength();
      assertThat(Arrays.copyOfRange(imerger.keyBuffer(), imerger.keyOffset(), keyEnd))
          .isEqualTo(item.key());
      assertThat(Arrays.copyOfRange(imerger.valueBuffer(), imerger.valueOffset(), valueEnd))
          .isEqualTo(item.value());
    }
  }
}
