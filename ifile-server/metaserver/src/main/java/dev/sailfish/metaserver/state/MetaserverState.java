package dev.sailfish.metaserver.state;

import dev.sailfish.ground.server.Principal;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.server.metrics.Metrics;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.metaserver.MetaserverMetric;
import dev.sailfish.metaserver.manifest.AttemptId;
import dev.sailfish.metaserver.manifest.Manifest;
import dev.sailfish.metaserver.manifest.ManifestLimits;
import dev.sailfish.metaserver.wire.Admit;
import dev.sailfish.metaserver.wire.CloseChunks;
import dev.sailfish.metaserver.wire.ForgetKeys;
import dev.sailfish.metaserver.wire.HandOver;
import dev.sailfish.metaserver.wire.JournalEntry;
import dev.sailfish.metaserver.wire.Lead;
import dev.sailfish.metaserver.wire.ServerDied;
import dev.sailfish.metaserver.wire.SnapshotHeader;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindResponse;
import dev.sailfish.protocol.wire.BindTarget;
import dev.sailfish.protocol.wire.Binding;
import dev.sailfish.protocol.wire.ChunkBlocks;
import dev.sailfish.protocol.wire.ChunkLocation;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.CreateIfilesResponse;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.ListJobsResponse;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import dev.sailfish.protocol.wire.SumWinnersRequest;
import dev.sailfish.protocol.wire.SumWinnersResponse;
import dev.sailfish.protocol.wire.WinnerManifest;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The core of the metaserver. Not thread-safe; does no I/O, reads no clock and starts no thread:
 * time ({@code nowMs}, milliseconds that never go back) and racks are passed in, and the same calls
 * in the same order give the same state and answers. So it can be simulated, and its calls are
 * journaled ({@link EntryApplier}): every peer has such a core, and the same in it.
 *
 * <p>What only matters to the one that leads is not journaled: when jobs were named and
 * chunkservers heard, and what these have to be told. A new leader begins without it: leases and
 * silences begin anew ({@link #beginLeading}), and every chunkserver must register, which tells
 * both sides what the other has.
 *
 * <p>A request is checked before it changes anything: one that is refused changed nothing (but
 * renewed its job's lease).
 */
public final class MetaserverState {
  private static final Logger LOG = LoggerFactory.getLogger(MetaserverState.class);

  /** Most chunks in one answer: some megabytes. */
  private static final int MAX_LISTED = 50_000;

  /** More of a map than an ApplicationMaster starts. */
  private static final int FEW_ATTEMPTS = 16;

  private final Metrics<MetaserverMetric> metrics;
  private final ChunkIds ids = new ChunkIds();
  private final Jobs jobs = new Jobs();
  private final AdmittedJobs admitted = new AdmittedJobs();
  private final ChunkserverRegistry registry = new ChunkserverRegistry();
  private final Drains drains = new Drains(registry);
  private final ChunkserverDesk desk;
  private final JobEnds ends;
  private Lead lead = Lead.getDefaultInstance();
  private long timeMs;

  /**
   * @param deadAfterMs how long a chunkserver may be silent
   * @param massDeadAfterMs how long when half of them or more are, see {@link Brake}
   */
  public MetaserverState(
      long deadAfterMs, long massDeadAfterMs, Metrics<MetaserverMetric> metrics) {
    this.metrics = metrics;
    this.desk = new ChunkserverDesk(registry, drains, ids, metrics, deadAfterMs, massDeadAfterMs);
    this.ends = new JobEnds(jobs, admitted, desk, drains, registry, metrics);
  }

  // ---- leaders and time

  /** A metaserver has become the leader: its settings hold from here on, on all peers. */
  void ledBy(Lead leader) {
    lead = leader;
    jobs.leasesLast(leader.getLeaseMs());
    admitted.leasesLast(leader.getLeaseMs());
    ids.startAt(leader.getWallMs());
  }

  /** What the last leader said when it began. */
  public Lead lead() {
    return lead;
  }

  /** This metaserver leads from now on: leases and silences begin anew. */
  public void beginLeading(long nowMs) {
    jobs.renewAll(nowMs);
    desk.lead(nowMs);
  }

  /** This metaserver does not lead any more. */
  public void endLeading() {
    desk.follow();
  }

  /** Lets time pass to that of an entry, and returns how late it is. */
  long passTo(long entryMs) {
    timeMs = Math.max(timeMs, entryMs);
    jobs.ended().forget(timeMs, lead.getLeaseMs());
    admitted.ended().forget(timeMs, lead.getLeaseMs());
    return timeMs;
  }

  /** What a snapshot's header says. */
  SnapshotHeader header() {
    return SnapshotHeader.newBuilder()
        .setVersion(StateSnapshot.VERSION)
        .setTimeMs(timeMs)
        .setLead(lead)
        .setNextChunk(ids.peek())
        .setPicks(registry.picks())
        .build();
  }

  /** How late it is, as far as changes say. */
  public long timeMs() {
    return timeMs;
  }

  /** Takes over what a snapshot's header says. */
  void restore(SnapshotHeader saved) {
    timeMs = saved.getTimeMs();
    ledBy(saved.getLead());
    ids.restore(saved.getNextChunk());
    registry.restorePicks(saved.getPicks());
  }

  // ---- tasks

  /** Creates a job's I-files; repeating it is no error. */
  CreateIfilesResponse createIfiles(CreateIfilesRequest request, long nowMs)
      throws RequestRefusedException {
    JobSpec spec = JobSpec.of(request, lead.getChunkBytes());
    AdmittedJobs.Admitted owner = admitted.find(spec.name());
    if (owner != null) {
      spec = spec.ownedBy(owner.user());
    }
    if (jobs.find(spec.name()) == null) {
      requireQuota(spec, spec.partitions());
    }
    Jobs.Created created = jobs.create(spec, lead.getEncryptAll(), nowMs);
    if (created.isNew()) {
      admitted.begun(spec.name());
      metrics.increment(MetaserverMetric.JOBS_CREATED);
      LOG.info("created {}, which says its user={}", created.job().spec(), request.getUser());
    }
    CreateIfilesResponse.Builder response =
        created.job().spec().response().setLeaseMs(jobs.leaseMs());
    AttemptId attempt = new AttemptId(request.getMap(), request.getAttempt());
    int held = created.job().describeHeld(attempt, response);
    metrics.add(MetaserverMetric.PARTITIONS_HELD, held);
    return response.build();
  }

  /**
   * Refuses what a user wants who is over a quota.
   *
   * @param ifiles how many I-files more the job needs
   */
  private void requireQuota(JobSpec spec, int ifiles) throws RequestRefusedException {
    UserQuota quota = UserQuota.of(lead);
    if (quota.equals(UserQuota.NONE)) {
      return;
    }
    String refusal = quota.refusal(jobs.usage(spec, admitted::isShared), ifiles);
    if (refusal != null) {
      metrics.increment(MetaserverMetric.QUOTA_REFUSALS);
      throw new RequestRefusedException(Status.OVER_QUOTA, refusal + ": job=" + spec.name());
    }
  }

  /**
   * Binds appenders to chunks.
   *
   * @param rack of the appenders' host
   */
  BindResponse bind(BindRequest request, String rack, long nowMs) throws RequestRefusedException {
    Job job = jobs.requireLive(request.getJob(), nowMs);
    AttemptId attempt = new AttemptId(request.getMap(), request.getAttempt());
    if (job.manifest(attempt) != null) {
      throw new RequestRefusedException(
          Status.CONFLICT, "attempt has committed: job=" + job.name() + " " + attempt);
    }
    for (BindTarget target : request.getTargetsList()) {
      job.checkPartition(target.getPartition());
    }
    requireQuota(job.spec(), 0);
    long more = (long) JobHeap.BYTES_PER_BINDING * request.getTargetsCount();
    HeapLimits.of(lead).check(job.name(), job.heap(), more);
    Placement placement =
        new Placement(job, attempt, rack, registry, ids, lead.getReservationBytes());
    BindResponse.Builder response = BindResponse.newBuilder();
    for (BindTarget target : request.getTargetsList()) {
      ChunkInfo chunk = placement.bind(target);
      response.addBindings(
          Binding.newBuilder()
              .setPartition(target.getPartition())
              .setChunk(chunk.id())
              .setServerId(chunk.server().id())
              .setHost(chunk.server().host())
              .setPort(chunk.server().port()));
    }
    metrics.add(MetaserverMetric.BINDINGS, request.getTargetsCount());
    metrics.add(MetaserverMetric.CHUNKS_OPENED, placement.opened());
    return response.build();
  }

  /** Stores what an attempt wrote and gives its bindings back; repeating it is no error. */
  void commitManifest(CommitManifestRequest request, long nowMs) throws RequestRefusedException {
    Job job = jobs.requireLive(request.getJob(), nowMs);
    AttemptId attempt = new AttemptId(request.getMap(), request.getAttempt());
    if (job.commit(
        attempt,
        request.getPartitionsList(),
        ManifestLimits.of(lead),
        jobs.manifestBytes(),
        HeapLimits.of(lead))) {
      metrics.increment(MetaserverMetric.MANIFESTS);
      LOG.debug("manifest of job={} {}", job.name(), attempt);
      job.completeWith(request.getMaps());
    }
    job.unbindAll(attempt);
  }

  /** Gives the bindings of an attempt back; what it committed stays. */
  void abortAttempt(AbortAttemptRequest request, long nowMs) throws RequestRefusedException {
    Job job = jobs.requireLive(request.getJob(), nowMs);
    AttemptId attempt = new AttemptId(request.getMap(), request.getAttempt());
    if (request.getNotRepeatable() && !job.isNotRepeatable(attempt.map())) {
      HeapLimits.of(lead).check(job.name(), job.heap(), JobHeap.BYTES_PER_MAP);
    }
    if (job.manifest(attempt) == null) {
      metrics.increment(MetaserverMetric.ATTEMPTS_ABORTED);
    }
    if (request.getNotRepeatable()) {
      job.notRepeatable(attempt.map());
      LOG.warn("map makes other records each time: job={} {}", job.name(), attempt);
    }
    job.unbindAll(attempt);
  }

  /** Attempts of a map that are bound, a few of them; a new list. */
  public List<AttemptId> bound(String name, int map) {
    Job job = jobs.find(name);
    return job == null ? List.of() : job.bound(map).stream().limit(FEW_ATTEMPTS).toList();
  }

  /** Takes note of chunks that a reader could not read. */
  void reportUnreadable(ReportUnreadableRequest request, long nowMs)
      throws RequestRefusedException {
    Job job = jobs.require(request.getJob(), nowMs);
    for (long id : request.getChunksList()) {
      ChunkInfo chunk = job.chunk(id);
      if (chunk != null && chunk.becomeSuspect()) {
        metrics.increment(MetaserverMetric.CHUNKS_UNREADABLE);
      }
    }
  }

  /**
   * What to read for a partition, given the winning attempts; changes nothing. When all maps have a
   * winner, {@link #closeChunks} has to follow for those that {@link #bindable} names.
   */
  public PlanPartitionResponse planPartition(PlanPartitionRequest request, long nowMs)
      throws RequestRefusedException {
    Job job = jobs.require(request.getJob(), nowMs);
    int partition = request.getPartition();
    job.checkPartition(partition);
    Map<Long, ChunkInfo> named = new TreeMap<>(Long::compareUnsigned);
    PlanPartitionResponse.Builder response = job.spec().plan().setLeaseMs(jobs.leaseMs());
    for (AttemptId winner : AttemptId.winners(job.name(), request.getWinnersList())) {
      WinnerManifest.Builder entry =
          WinnerManifest.newBuilder().setMap(winner.map()).setAttempt(winner.attempt());
      Manifest manifest = job.manifest(winner);
      if (manifest != null) {
        entry.setKnown(true);
        manifest.describe(partition, entry);
        for (ChunkBlocks blocks : entry.getBlocksList()) {
          named.computeIfAbsent(blocks.getChunk(), job::chunk);
        }
      }
      response.addWinners(entry);
    }
    for (ChunkInfo chunk : named.values()) {
      response.addChunks(chunk.location());
    }
    metrics.increment(MetaserverMetric.PLANS);
    return response.build();
  }

  /** What winning attempts wrote, over a page of the partitions; changes nothing. */
  public SumWinnersResponse sumWinners(SumWinnersRequest request, long nowMs)
      throws RequestRefusedException {
    Job job = jobs.require(request.getJob(), nowMs);
    job.checkPartition(request.getFromPartition());
    return job.sum(
        AttemptId.winners(job.name(), request.getWinnersList()), request.getFromPartition());
  }

  /** Those of a plan's chunks that take further appenders. */
  public List<Long> bindable(String name, PlanPartitionResponse plan) {
    List<Long> bindable = new ArrayList<>();
    for (ChunkLocation location : plan.getChunksList()) {
      ChunkInfo chunk = chunk(name, location.getChunk());
      if (chunk != null && chunk.isBindable()) {
        bindable.add(chunk.id());
      }
    }
    return bindable;
  }

  /** Whether a plan names winners that are to be journaled; see {@link Job#isNews}. */
  public boolean isNews(String name, List<Integer> winners) {
    Job job = jobs.find(name);
    return job != null && job.isNews(winners);
  }

  /** All maps have a winner: the chunks take no further appenders. Those unknown are left out. */
  void closeChunks(CloseChunks close) {
    Job job = jobs.find(close.getJob());
    if (job == null) {
      return;
    }
    job.named(close.getWinnersList());
    for (long id : close.getChunksList()) {
      ChunkInfo chunk = job.chunk(id);
      if (chunk != null) {
        chunk.closeToBindings("all maps have a winner");
      }
    }
  }

  /** The chunk of a job, or null when the job or the chunk is unknown. */
  private ChunkInfo chunk(String name, long id) {
    Job job = jobs.find(name);
    return job == null ? null : job.chunk(id);
  }

  /** Keeps a job alive if it is there. */
  public void renewIfKnown(String name, long nowMs) {
    Job job = jobs.find(name);
    if (job != null) {
      job.renew(nowMs);
    }
  }

  // ---- keys

  /**
   * The principal of a job, with its access key, or null when none was admitted.
   *
   * @param id the job's id
   * @throws RequestRefusedException JOB_UNKNOWN when the job has ended
   */
  public Principal principalOf(String id, long nowMs) throws RequestRefusedException {
    jobs.requireNotEnded(id, nowMs);
    AdmittedJobs.Admitted job = admitted.find(id);
    return job == null ? null : job.principal();
  }

  /** Admits a job that a task has introduced; see {@link AdmittedJobs#admit}. */
  void admit(Admit admit, long nowMs) throws RequestRefusedException {
    admitted.admit(admit, id -> jobs.find(id) != null || jobs.ended().contains(id), nowMs);
  }

  // ---- the end of a job

  /**
   * Ends a job; see {@link JobEnds#end}.
   *
   * @return false when it does not live
   */
  boolean deleteJob(String name, MetaserverMetric why, String reason, long nowMs) {
    return ends.end(name, lead.getKeepMostMs(), why, reason, nowMs);
  }

  /** Has what is kept of an ended job deleted; false when there is nothing. */
  boolean dropKept(String name, MetaserverMetric why, String reason, long nowMs) {
    return ends.drop(name, why, reason, nowMs);
  }

  // ---- people

  /** All jobs by name. */
  public ListJobsResponse listJobs(long nowMs) {
    ListJobsResponse.Builder response = ListJobsResponse.newBuilder();
    jobs.all().forEach(job -> response.addJobs(job.summary(nowMs)));
    return response.build();
  }

  /** One job and a page of its chunks; looking does not renew its lease. */
  public DescribeJobResponse describeJob(DescribeJobRequest request, long nowMs)
      throws RequestRefusedException {
    Job job = jobs.find(request.getJob());
    if (job == null) {
      throw new RequestRefusedException(
          Status.JOB_UNKNOWN, "job is unknown here: job=" + request.getJob());
    }
    DescribeJobResponse.Builder response =
        DescribeJobResponse.newBuilder().setSummary(job.summary(nowMs));
    if (request.getWinners()) {
      job.winners().forEach(it -> response.addWinners(it.map()).addWinners(it.attempt()));
    }
    int limit = Integer.toUnsignedLong(request.getLimit()) > MAX_LISTED ? 0 : request.getLimit();
    limit = limit == 0 ? MAX_LISTED : limit;
    Set<ServerInfo> doubted = job.doubtedServers();
    for (ChunkInfo chunk : job.chunks()) {
      boolean wanted =
          request.getPartition() < 0 || request.getPartition() == chunk.ifile().partition();
      if (wanted && Long.compareUnsigned(chunk.id(), request.getAfterChunk()) > 0) {
        if (response.getChunksCount() == limit) {
          return response.setMore(true).build();
        }
        response.addChunks(chunk.describe(doubted.contains(chunk.server())));
      }
    }
    return response.build();
  }

  /** What each user's jobs have; a new map. */
  public Map<String, UserQuota.Usage> users() {
    return jobs.usages(admitted::isShared);
  }

  // ---- chunkservers

  /** A chunkserver is heard, and with it the jobs that it serves; see {@link ChunkserverDesk}. */
  public boolean heartbeat(HeartbeatRequest request, String session, long nowMs) {
    boolean met = desk.heartbeat(request, session, nowMs);
    if (met) {
      request.getActiveJobsList().forEach(name -> renewIfKnown(name, nowMs));
    }
    return met;
  }

  /** A chunk of a server that is drained is to be copied to another one. */
  void handOver(HandOver copy) {
    ChunkInfo chunk = chunk(copy.getJob(), copy.getChunk());
    ServerInfo target = registry.find(copy.getServerId());
    if (chunk != null && target != null) {
      drains.begin(chunk, target);
    }
  }

  // ---- time that runs out

  /**
   * What time has brought about.
   *
   * @param entries changes that are to be journaled
   * @param ask silent chunkservers that are to be connected to
   */
  public record Due(List<JournalEntry.Builder> entries, List<SilentServer> ask) {}

  /** A silent chunkserver, as it was when {@link #due} looked at it. */
  public record SilentServer(String id, String host, int port, long heardMs) {}

  /**
   * What is due: dead chunkservers, keys and jobs that nobody names, copies for drains. The leader
   * asks at each tick; see {@link Brake#judge}.
   */
  public Due due(long nowMs) {
    List<JournalEntry.Builder> entries = new ArrayList<>();
    Brake.Verdict verdict = desk.brake().judge(registry.live(), nowMs);
    for (ServerInfo server : verdict.dead()) {
      ServerDied.Builder died =
          ServerDied.newBuilder()
              .setServerId(server.id())
              .setSilentMs(nowMs - server.lastHeardMs());
      entries.add(JournalEntry.newBuilder().setDied(died));
    }
    List<String> unused = unusedKeys(nowMs);
    if (!unused.isEmpty()) {
      ForgetKeys.Builder keys = ForgetKeys.newBuilder().addAllJobs(unused);
      entries.add(JournalEntry.newBuilder().setForgetKeys(keys));
    }
    for (HandOver copy : drains.due(nowMs)) {
      entries.add(JournalEntry.newBuilder().setHandOver(copy));
    }
    entries.addAll(ends.due(lead, nowMs));
    return new Due(
        entries,
        verdict.ask().stream()
            .map(s -> new SilentServer(s.id(), s.host(), s.port(), s.lastHeardMs()))
            .toList());
  }

  /** Ids of jobs that were admitted and have had no I-files for too long. */
  List<String> unusedKeys(long nowMs) {
    return admitted.unused(nowMs, id -> jobs.find(id) != null);
  }

  /** Forgets that these were admitted, unless they have I-files by now. */
  void forgetKeys(List<String> ids) {
    for (String id : ids) {
      if (jobs.find(id) == null) {
        admitted.forget(id);
      }
    }
  }

  /** What there is now; a new map. */
  public Map<MetaserverMetric, Long> gauges() {
    Map<MetaserverMetric, Long> gauges = new EnumMap<>(MetaserverMetric.class);
    gauges.put(MetaserverMetric.JOBS, (long) jobs.names().size());
    gauges.put(MetaserverMetric.JOBS_KEPT, (long) jobs.kept().size());
    gauges.put(MetaserverMetric.JOBS_ADMITTED, (long) admitted.all().size());
    gauges.put(MetaserverMetric.CHUNKSERVERS_DRAINING, (long) registry.draining().size());
    gauges.put(MetaserverMetric.CHUNKS_TO_HAND_OVER, drains.chunksLeft());
    long live = registry.live().size();
    gauges.put(MetaserverMetric.CHUNKSERVERS_LIVE, live);
    gauges.put(MetaserverMetric.CHUNKSERVERS_DEAD, registry.all().size() - live);
    long[] byState = new long[ChunkState.values().length];
    long manifests = 0;
    long bound = 0;
    for (Job job : jobs.all()) {
      job.chunks().forEach(chunk -> byState[chunk.state().ordinal()]++);
      manifests += job.manifests().size();
      bound += job.bindingCount();
    }
    gauges.put(MetaserverMetric.CHUNKS_OPEN, byState[ChunkState.OPEN.ordinal()]);
    gauges.put(MetaserverMetric.CHUNKS_STABLE, byState[ChunkState.STABLE.ordinal()]);
    gauges.put(MetaserverMetric.CHUNKS_SORTED, byState[ChunkState.SORTED.ordinal()]);
    gauges.put(MetaserverMetric.CHUNKS_LOST, byState[ChunkState.LOST.ordinal()]);
    gauges.put(MetaserverMetric.MANIFESTS_HELD, manifests);
    gauges.put(MetaserverMetric.MANIFEST_BYTES, jobs.manifestBytes());
    gauges.put(MetaserverMetric.MANIFEST_LIMIT_BYTES, lead.getManifestAllBytes());
    gauges.put(MetaserverMetric.APPENDERS_BOUND, bound);
    gauges.put(MetaserverMetric.CHUNKSERVERS_SILENT, (long) desk.brake().silent());
    gauges.put(MetaserverMetric.BRAKE_ON, desk.brake().phase() == Brake.Phase.ON ? 1L : 0L);
    return gauges;
  }

  ChunkIds ids() {
    return ids;
  }

  /** What chunkservers tell, and have to be told. */
  public ChunkserverDesk desk() {
    return desk;
  }

  /** Chunkservers that are to leave. */
  public Drains drains() {
    return drains;
  }

  /** Jobs with their keys. */
  public AdmittedJobs admitted() {
    return admitted;
  }

  /** The chunkservers that are known. */
  public ChunkserverRegistry registry() {
    return registry;
  }

  /** Jobs that have I-files, also those that have ended and are kept. */
  public Jobs jobs() {
    return jobs;
  }
}
