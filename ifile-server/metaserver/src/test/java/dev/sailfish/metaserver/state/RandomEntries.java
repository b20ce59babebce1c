package dev.sailfish.metaserver.state;

import com.google.protobuf.ByteString;
import dev.sailfish.metaserver.manifest.AttemptId;
import dev.sailfish.metaserver.manifest.Manifest;
import dev.sailfish.metaserver.wire.Admit;
import dev.sailfish.metaserver.wire.Bind;
import dev.sailfish.metaserver.wire.CloseChunks;
import dev.sailfish.metaserver.wire.EndJob;
import dev.sailfish.metaserver.wire.ForgetKeys;
import dev.sailfish.metaserver.wire.HandOver;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.JournalReply;
import dev.sailfish.metaserver.wire.Lead;
import dev.sailfish.metaserver.wire.Register;
import dev.sailfish.metaserver.wire.Reports;
import dev.sailfish.metaserver.wire.ServerDied;
import dev.sailfish.metaserver.wire.ServerUse;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.DrainRequest;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Entries of a journal as a busy cluster would bring them about, some of them refused. */
final class RandomEntries {
  private static final int PARTITIONS = 4;
  private static final int MAPS = 20;
  private static final int SERVERS = 4;

  private final SplittableRandom random;
  private final MetaserverState state;
  private long timeMs;
  private int jobs;

  /**
   * @param state the core that the entries are applied to, one by one
   */
  RandomEntries(SplittableRandom random, MetaserverState state) {
    this.random = random;
    this.state = state;
  }

  /** An entry with the time that the journal gives it. */
  record Timed(long timeMs, JournalEntry entry) {
    JournalReply applyTo(MetaserverState state) {
      return EntryApplier.apply(state, entry, timeMs);
    }
  }

  /** What a leader says first. */
  static Timed lead(long timeMs, long wallMs) {
    return new Timed(timeMs, lead(wallMs));
  }

  private static JournalEntry lead(long wallMs) {
    return JournalEntry.newBuilder()
        .setVersion(EntryApplier.VERSION)
        .setLead(
            Lead.newBuilder()
                .setPeer("m1")
                .setAddress("host:1")
                .setWallMs(wallMs)
                .setChunkBytes(4 * CoreFixture.MIB)
                .setReservationBytes(CoreFixture.MIB)
                .setLeaseMs(5_000)
                .setKeepMostMs(4_000)
                .setUserMaxBytes(30_000_000)
                .setUserMaxIfiles(100))
        .build();
  }

  Timed next() {
    timeMs += random.nextInt(100);
    return new Timed(timeMs, change());
  }

  private JournalEntry change() {
    JournalEntry.Builder entry = JournalEntry.newBuilder().setVersion(EntryApplier.VERSION);
    if (random.nextInt(10) == 0) {
      entry.addUses(
          ServerUse.newBuilder().setServerId(server()).setUsedBytes(random.nextInt(1 << 30)));
    }
    int kind = random.nextInt(110);
    if (kind >= 100) {
      return other(entry, kind).build();
    }
    if (kind < 4) {
      return entry
          .setCreate(
              CoreFixture.job("job_1_" + jobs++, PARTITIONS)
                  .setEncrypted(random.nextInt(3) == 0)
                  .setKeepMs(random.nextInt(2) * random.nextInt(5_000))
                  .setUntilCheckpointed(random.nextBoolean()))
          .build();
    } else if (kind < 45) {
      return entry.setBind(bind()).build();
    } else if (kind < 62) {
      return entry.setCommit(commit()).build();
    } else if (kind < 66) {
      return entry
          .setAbort(
              AbortAttemptRequest.newBuilder()
                  .setJob(job())
                  .setMap(random.nextInt(MAPS))
                  .setNotRepeatable(random.nextBoolean()))
          .build();
    } else if (kind < 70) {
      return entry
          .setClose(
              CloseChunks.newBuilder()
                  .setJob(job())
                  .addAllChunks(some(chunks(job())))
                  .addAllWinners(List.of(random.nextInt(MAPS), random.nextInt(3))))
          .build();
    } else if (kind < 72) {
      return entry
          .setEnd(EndJob.newBuilder().setJob(job()).setCauseValue(random.nextInt(6)))
          .build();
    } else if (kind < 80) {
      return entry.setRegister(register()).build();
    } else if (kind < 98) {
      return entry.setReports(reports()).build();
    } else if (kind < 99) {
      JournalEntry lead = lead(random.nextInt(1000));
      Lead.Builder limited =
          lead.getLead().toBuilder().setHeapJobBytes(random.nextInt(3) * 16_384L);
      return lead.toBuilder().setLead(limited).build();
    }
    return entry.setDied(ServerDied.newBuilder().setServerId(server())).build();
  }

  /** Changes that come seldom. */
  private JournalEntry.Builder other(JournalEntry.Builder entry, int kind) {
    String job = job();
    if (kind < 102) {
      return entry.setUnreadable(
          ReportUnreadableRequest.newBuilder().setJob(job).addAllChunks(some(chunks(job))));
    } else if (kind < 104) {
      byte[] key = new byte[32];
      random.nextBytes(key);
      return entry.setAdmit(
          Admit.newBuilder()
              .setName("job_1_" + random.nextInt(jobs + 2))
              .setSuffix("0000000" + random.nextInt(10))
              .setKeyId(ByteString.copyFrom(key, 0, 1))
              .setAccessKey(ByteString.copyFrom(key))
              .setUser("ann")
              .setByName(random.nextBoolean())
              .setAddress("10.0.0." + random.nextInt(3)));
    } else if (kind < 105) {
      return entry.setForgetKeys(
          ForgetKeys.newBuilder().addJobs("job_1_" + random.nextInt(jobs + 2)));
    } else if (kind < 106) {
      return entry.setDrain(DrainRequest.newBuilder().setServer(server()));
    } else if (kind < 107 || chunks(job).isEmpty()) {
      return entry.setRegister(register().setDrainConfirmed(true));
    }
    List<HandOver> due = state.drains().due(timeMs);
    return entry.setHandOver(
        due.isEmpty()
            ? HandOver.newBuilder()
                .setJob(job)
                .setChunk(chunks(job).get(0).id())
                .setServerId(server())
                .build()
            : due.get(random.nextInt(due.size())));
  }

  private String job() {
    List<String> names = state.jobs().names();
    return names.isEmpty() ? "none" : names.get(random.nextInt(names.size()));
  }

  private String server() {
    return "s" + random.nextInt(SERVERS);
  }

  private List<ChunkInfo> chunks(String name) {
    Job job = state.jobs().find(name);
    return job == null ? List.of() : new ArrayList<>(job.chunks());
  }

  private List<Long> some(List<ChunkInfo> chunks) {
    return chunks.stream().filter(chunk -> random.nextBoolean()).map(ChunkInfo::id).toList();
  }

  private Bind bind() {
    String job = job();
    int map = random.nextInt(MAPS);
    BindRequest.Builder request =
        BindRequest.newBuilder().setJob(job).setMap(map).setAttempt(random.nextInt(2));
    for (int partition = 0; partition < PARTITIONS; partition++) {
      if (random.nextBoolean()) {
        var target = CoreFixture.target(partition);
        List<ChunkInfo> chunks = chunks(job);
        if (!chunks.isEmpty() && random.nextInt(3) == 0) {
          target
              .setPreviousChunk(chunks.get(random.nextInt(chunks.size())).id())
              .setPreviousFull(random.nextBoolean());
        }
        if (random.nextInt(5) == 0) {
          target.addAvoidServers(server());
        }
        request.addTargets(target);
      }
    }
    return Bind.newBuilder().setRequest(request).setRack("/r" + random.nextInt(3)).build();
  }

  private CommitManifestRequest commit() {
    String name = job();
    AttemptId attempt = new AttemptId(random.nextInt(MAPS), random.nextInt(2));
    CommitManifestRequest.Builder request =
        CommitManifestRequest.newBuilder()
            .setJob(name)
            .setMap(attempt.map())
            .setAttempt(attempt.attempt());
    Job job = state.jobs().find(name);
    for (int partition = 0; job != null && partition < PARTITIONS; partition++) {
      ChunkInfo bound = job.binding(attempt, partition);
      Manifest before = job.manifest(new AttemptId(attempt.map(), 0));
      boolean inBefore = before != null && before.find(partition) != null;
      if (attempt.attempt() > 0 && inBefore && random.nextBoolean()) {
        request.addPartitions(CoreFixture.wrote(partition).toBuilder().setRawBytes(0).setHeldBy(1));
      } else if (bound != null) {
        request.addPartitions(CoreFixture.wrote(partition, bound.id()));
      }
    }
    return request.build();
  }

  private Register.Builder register() {
    String id = server();
    return Register.newBuilder()
        .setRequest(CoreFixture.server(id).addAllChunks(reportsOf(id)))
        .setRack("/r" + id.charAt(1) % 3);
  }

  private Reports reports() {
    String id = server();
    Reports.Builder reports = Reports.newBuilder().setServerId(id).addAllChunks(reportsOf(id));
    ServerInfo server = state.registry().find(id);
    if (server != null) {
      for (ChunkInfo chunk : server.arriving().values()) {
        if (random.nextBoolean()) {
          reports.addUnfetched(chunk.id());
        } else {
          reports.addChunks(
              CoreFixture.report(
                  chunk.ifile().job().name(),
                  chunk.id(),
                  chunk.ifile().partition(),
                  ChunkState.SORTED));
        }
      }
    }
    return reports.build();
  }

  private List<ChunkReport> reportsOf(String id) {
    List<ChunkReport> reports = new ArrayList<>();
    ServerInfo server = state.registry().find(id);
    if (server != null) {
      for (ChunkInfo chunk : server.chunks().values()) {
        if (random.nextInt(3) == 0) {
          ChunkState told = ChunkState.values()[random.nextInt(ChunkState.values().length)];
          reports.add(
              CoreFixture.report(
                      chunk.ifile().job().name(), chunk.id(), chunk.ifile().partition(), told)
                  .toBuilder()
                  .setRawBytes(random.nextInt(1 << 20))
                  .build());
        }
      }
    }
    return reports;
  }
}
