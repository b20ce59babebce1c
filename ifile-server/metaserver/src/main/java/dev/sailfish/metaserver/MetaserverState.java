package dev.sailfish.metaserver;

import dev.sailfish.metaserver.wire.Lead;
import dev.sailfish.metaserver.wire.ServerUse;
import dev.sailfish.metaserver.wire.SnapshotHeader;
import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindResponse;
import dev.sailfish.protocol.wire.BindTarget;
import dev.sailfish.protocol.wire.Binding;
import dev.sailfish.protocol.wire.ChunkLocation;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.CreateIfilesResponse;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.ListJobsResponse;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import dev.sailfish.protocol.wire.WinnerManifest;
import dev.sailfish.transport.Counters;
import dev.sailfish.transport.RequestRefusedException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
final class MetaserverState {
  private static final Logger LOG = LoggerFactory.getLogger(MetaserverState.class);

  private StateSettings settings;
  private final Counters<MetaserverCounter> counters;
  private final ChunkIds ids = new ChunkIds();
  private final Jobs jobs;
  private final ChunkserverRegistry registry = new ChunkserverRegistry();
  private Lead lead = Lead.getDefaultInstance();
  private long timeMs;
  private boolean leading;

  /**
   * @param settings until a leader has said what holds
   */
  MetaserverState(StateSettings settings, Counters<MetaserverCounter> counters) {
    this.settings = settings;
    this.counters = counters;
    this.jobs = new Jobs(settings.leaseMs());
  }

  // ---- leaders and time
  // --------------------------------------------------------------------------

  /** A metaserver has become the leader: its settings hold from here on, on all peers. */
  void ledBy(Lead leader) {
    lead = leader;
    settings =
        new StateSettings(
            leader.getChunkBytes(),
            leader.getReservationBytes(),
            leader.getLeaseMs(),
            settings.deadAfterMs());
    jobs.leasesLast(leader.getLeaseMs());
    ids.startAt(leader.getWallMs());
  }

  /** What the last leader said when it began. */
  Lead lead() {
    return lead;
  }

  /** This metaserver leads from now on: leases and silences begin anew. */
  void beginLeading(long nowMs) {
    leading = true;
    jobs.renewAll(nowMs);
    registry.all().forEach(server -> server.awaitFrom(nowMs));
  }

  /** This metaserver does not lead any more. */
  void endLeading() {
    leading = false;
    registry.all().forEach(Chunkserver::notLed);
  }

  /** Lets time pass to that of an entry, and returns how late it is. */
  long passTo(long entryMs) {
    timeMs = Math.max(timeMs, entryMs);
    jobs.forgetEnded(timeMs);
    return timeMs;
  }

  /** How late it is, as far as changes say. */
  long timeMs() {
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
  // -------------------------------------------------------------------------------------

  /** Creates a job's I-files; repeating it is no error. */
  CreateIfilesResponse createIfiles(CreateIfilesRequest request, long nowMs)
      throws RequestRefusedException {
    Jobs.Created created = jobs.create(JobSpec.of(request, settings.defaultChunkBytes()), nowMs);
    if (created.isNew()) {
      counters.increment(MetaserverCounter.JOBS_CREATED);
      LOG.info("created {}", created.job().spec());
    }
    return CreateIfilesResponse.newBuilder()
        .setChunkBytes(created.job().spec().chunkBytes())
        .build();
  }

  /**
   * Binds appenders to chunks.
   *
   * @param rack of the appenders' host
   */
  BindResponse bind(BindRequest request, String rack, long nowMs) throws RequestRefusedException {
    Job job = jobs.require(request.getJob(), nowMs);
    AttemptId attempt = new AttemptId(request.getMap(), request.getAttempt());
    if (job.manifest(attempt) != null) {
      throw new RequestRefusedException(
          Status.CONFLICT, "attempt has committed: job=" + job.name() + " " + attempt);
    }
    for (BindTarget target : request.getTargetsList()) {
      job.checkPartition(target.getPartition());
    }
    Placement placement = new Placement(job, rack, registry, ids, settings.reservationBytes());
    BindResponse.Builder response = BindResponse.newBuilder();
    for (BindTarget target : request.getTargetsList()) {
      Chunk chunk = placement.bind(attempt, target);
      response.addBindings(
          Binding.newBuilder()
              .setPartition(target.getPartition())
              .setChunk(chunk.id())
              .setServerId(chunk.server().id())
              .setHost(chunk.server().host())
              .setPort(chunk.server().port()));
    }
    counters.add(MetaserverCounter.BINDINGS, request.getTargetsCount());
    counters.add(MetaserverCounter.CHUNKS_OPENED, placement.opened());
    return response.build();
  }

  /** Stores what an attempt wrote and gives its bindings back; repeating it is no error. */
  void commitManifest(CommitManifestRequest request, long nowMs) throws RequestRefusedException {
    Job job = jobs.require(request.getJob(), nowMs);
    AttemptId attempt = new AttemptId(request.getMap(), request.getAttempt());
    if (job.commit(attempt, Manifest.of(attempt, request.getPartitionsList()))) {
      counters.increment(MetaserverCounter.MANIFESTS);
      LOG.debug("manifest of job={} {}", job.name(), attempt);
    }
    job.unbindAll(attempt);
  }

  /** Gives the bindings of an attempt back; what it committed stays. */
  void abortAttempt(AbortAttemptRequest request, long nowMs) throws RequestRefusedException {
    Job job = jobs.require(request.getJob(), nowMs);
    AttemptId attempt = new AttemptId(request.getMap(), request.getAttempt());
    if (job.manifest(attempt) == null) {
      counters.increment(MetaserverCounter.ATTEMPTS_ABORTED);
    }
    job.unbindAll(attempt);
  }

  /**
   * What to read for a partition, given the winning attempts; changes nothing. When all maps have a
   * winner, {@link #closeChunks} has to follow for those that {@link #bindable} names.
   */
  PlanPartitionResponse planPartition(PlanPartitionRequest request, long nowMs)
      throws RequestRefusedException {
    Job job = jobs.require(request.getJob(), nowMs);
    int partition = request.getPartition();
    job.checkPartition(partition);
    Map<Long, Chunk> named = new TreeMap<>(Long::compareUnsigned);
    PlanPartitionResponse.Builder response =
        PlanPartitionResponse.newBuilder().setOrdering(job.spec().ordering().code());
    for (AttemptId winner : winners(request)) {
      WinnerManifest.Builder entry =
          WinnerManifest.newBuilder().setMap(winner.map()).setAttempt(winner.attempt());
      Manifest manifest = job.manifest(winner);
      if (manifest != null) {
        entry.setKnown(true);
        manifest.describe(partition, entry);
        manifest.forEachChunk(partition, id -> named.put(id, job.chunk(id)));
      }
      response.addWinners(entry);
    }
    for (Chunk chunk : named.values()) {
      response.addChunks(chunk.location());
    }
    counters.increment(MetaserverCounter.PLANS);
    return response.build();
  }

  /** Those of a plan's chunks that take further appenders. */
  List<Long> bindable(String name, PlanPartitionResponse plan) {
    List<Long> bindable = new ArrayList<>();
    Job job = jobs.find(name);
    for (ChunkLocation location : plan.getChunksList()) {
      Chunk chunk = job == null ? null : job.chunk(location.getChunk());
      if (chunk != null && chunk.isBindable()) {
        bindable.add(chunk.id());
      }
    }
    return bindable;
  }

  /** All maps have a winner: the chunks take no further appenders. Those unknown are left out. */
  void closeChunks(String name, List<Long> chunks) {
    Job job = jobs.find(name);
    for (long id : chunks) {
      Chunk chunk = job == null ? null : job.chunk(id);
      if (chunk != null) {
        chunk.closeToBindings("all maps have a winner");
      }
    }
  }

  private static List<AttemptId> winners(PlanPartitionRequest request)
      throws RequestRefusedException {
    List<Integer> numbers = request.getWinnersList();
    if (numbers.size() % 2 != 0) {
      throw bad("winners are no pairs: numbers=" + numbers.size() + " job=" + request.getJob());
    }
    List<AttemptId> winners = new ArrayList<>(numbers.size() / 2);
    Set<Integer> maps = new HashSet<>();
    for (int i = 0; i < numbers.size(); i += 2) {
      AttemptId winner = new AttemptId(numbers.get(i), numbers.get(i + 1));
      if (!maps.add(winner.map())) {
        throw bad("a map has two winners: job=" + request.getJob() + " " + winner);
      }
      winners.add(winner);
    }
    return winners;
  }

  private static RequestRefusedException bad(String message) {
    return new RequestRefusedException(Status.BAD_REQUEST, message);
  }

  /** Keeps a job alive. */
  void renewLease(String job, long nowMs) throws RequestRefusedException {
    jobs.require(job, nowMs);
  }

  /** Keeps a job alive if it is there. */
  void renewIfKnown(String name, long nowMs) {
    Job job = jobs.find(name);
    if (job != null) {
      job.renew(nowMs);
    }
  }

  // ---- the end of a job
  // --------------------------------------------------------------------------

  /**
   * Ends a job and has its chunks deleted.
   *
   * @param why counts it
   * @param reason for the log
   * @return false when it is unknown
   */
  boolean deleteJob(String name, MetaserverCounter why, String reason, long nowMs) {
    Job job = jobs.find(name);
    if (job == null) {
      return false;
    }
    delete(job, why, reason, nowMs);
    return true;
  }

  private void delete(Job job, MetaserverCounter why, String reason, long nowMs) {
    counters.increment(why);
    LOG.info(
        "deleting job={} chunks={} manifests={}: {}",
        job.name(),
        job.chunks().size(),
        job.manifestCount(),
        reason);
    for (Chunk chunk : job.chunks()) {
      chunk.closeToBindings("job ends");
      chunk.server().chunks().remove(chunk.id());
      chunk.server().deleteJob(job.name());
    }
    jobs.remove(job, nowMs);
    registry.forgetDead();
  }

  // ---- people
  // ------------------------------------------------------------------------------------

  /** All jobs by name. */
  ListJobsResponse listJobs(long nowMs) {
    ListJobsResponse.Builder response = ListJobsResponse.newBuilder();
    jobs.all().forEach(job -> response.addJobs(job.summary(nowMs)));
    return response.build();
  }

  /** One job and its chunks; looking does not renew its lease. */
  DescribeJobResponse describeJob(DescribeJobRequest request, long nowMs)
      throws RequestRefusedException {
    Job job = jobs.find(request.getJob());
    if (job == null) {
      throw new RequestRefusedException(
          Status.JOB_UNKNOWN, "job is unknown here: job=" + request.getJob());
    }
    DescribeJobResponse.Builder response =
        DescribeJobResponse.newBuilder().setSummary(job.summary(nowMs));
    for (Chunk chunk : job.chunks()) {
      if (request.getPartition() < 0 || request.getPartition() == chunk.ifile().partition()) {
        response.addChunks(chunk.describe());
      }
    }
    return response.build();
  }

  /** Names of all jobs. */
  List<String> jobNames() {
    return jobs.all().stream().map(Job::name).toList();
  }

  // ---- chunkservers
  // ------------------------------------------------------------------------------

  /**
   * How long a heartbeat may be kept waiting, so that a waiting server does not count as silent.
   */
  long heartbeatMs() {
    return Math.max(1, Math.min(10_000, settings.deadAfterMs() / 3));
  }

  /** A chunkserver joins, or comes back, and tells all it holds. */
  RegisterChunkserverResponse register(RegisterChunkserverRequest request, String rack, long nowMs)
      throws RequestRefusedException {
    if (request.getServerId().isEmpty() || request.getHost().isEmpty()) {
      throw bad(
          "server_id and host must be given: id='"
              + request.getServerId()
              + "' host='"
              + request.getHost()
              + "'");
    }
    List<ReportedChunk> reports = ReportedChunk.listOf(request.getChunksList());
    Chunkserver server = registry.findOrAdd(request.getServerId());
    server.registered(request, rack, leading, nowMs);
    counters.increment(MetaserverCounter.REGISTRATIONS);
    RegisterChunkserverResponse.Builder response =
        RegisterChunkserverResponse.newBuilder().setRack(rack).setHeartbeatMs((int) heartbeatMs());
    Set<Long> held = new HashSet<>();
    for (ReportedChunk report : reports) {
      ids.observe(report.id());
      held.add(report.id());
      if (!apply(server, report)) {
        response.addUnknownChunks(report.id());
      }
    }
    for (Chunk chunk : server.chunks().values()) {
      boolean gone = chunk.isReported() && !held.contains(chunk.id());
      if (gone && chunk.state() != ChunkState.LOST) {
        lose(chunk, "its server came back without it");
      }
    }
    LOG.info(
        "registered {}: chunks={} of which unknown={}",
        server,
        request.getChunksCount(),
        response.getUnknownChunksCount());
    return response.build();
  }

  /** A chunkserver tells what has changed; of one that must register first, nothing is taken. */
  void report(String serverId, List<ChunkReport> changed) throws RequestRefusedException {
    List<ReportedChunk> reports = ReportedChunk.listOf(changed);
    Chunkserver server = registry.find(serverId);
    if (server == null || !server.isLive()) {
      return;
    }
    for (ReportedChunk report : reports) {
      if (!apply(server, report) && report.state() != ChunkState.LOST) {
        server.deleteChunk(report.id());
      }
    }
  }

  /**
   * A chunkserver is heard; what it says of chunks is for {@link #report}. What it must be told
   * comes from {@link #takeCommands}.
   *
   * @param session names the connection; see {@link Chunkserver}
   * @return false when it must register first
   */
  boolean heartbeat(HeartbeatRequest request, String session, long nowMs) {
    counters.increment(MetaserverCounter.HEARTBEATS);
    Chunkserver server = registry.find(request.getServerId());
    if (!isMet(server)) {
      return false;
    }
    server.heard(request, session, nowMs);
    for (String name : request.getActiveJobsList()) {
      renewIfKnown(name, nowMs);
    }
    return true;
  }

  private static boolean isMet(Chunkserver server) {
    return server != null && server.isLive() && server.isMet();
  }

  /** Whether a chunkserver has registered with this leader, and was not given up since. */
  boolean isMet(String serverId) {
    return isMet(registry.find(serverId));
  }

  /** Whether a chunkserver's heartbeat should be answered at once. */
  boolean hasNews(String serverId) {
    Chunkserver server = registry.find(serverId);
    return !isMet(server) || server.hasCommands();
  }

  /** What live chunkservers use, where that is not what the journal says. */
  List<ServerUse> freshUses() {
    List<ServerUse> uses = new ArrayList<>();
    for (Chunkserver server : registry.live()) {
      if (server.heardUsed() != server.used()) {
        uses.add(
            ServerUse.newBuilder()
                .setServerId(server.id())
                .setUsedBytes(server.heardUsed())
                .build());
      }
    }
    return uses;
  }

  /** From here on a chunkserver counts as having used so much. */
  void uses(String serverId, long bytes) {
    Chunkserver server = registry.find(serverId);
    if (server != null) {
      server.uses(bytes);
    }
  }

  /** What a chunkserver has to be told now; empty when there is nothing. */
  HeartbeatResponse takeCommands(String serverId) {
    Chunkserver server = registry.find(serverId);
    if (!isMet(server)) {
      return HeartbeatResponse.newBuilder().setRegisterAgain(true).build();
    }
    return server.takeCommands();
  }

  /** Takes a report over; returns false when the chunk should not be there. */
  private boolean apply(Chunkserver server, ReportedChunk report) {
    Chunk chunk = server.chunks().get(report.id());
    if (chunk == null
        || chunk.state() == ChunkState.LOST
        || !chunk.ifile().job().equals(report.wire().getJob())) {
      return false;
    }
    if (report.state() == ChunkState.LOST) {
      lose(chunk, "its server says so");
    } else {
      chunk.apply(report.wire(), report.state());
    }
    return true;
  }

  private void lose(Chunk chunk, String reason) {
    chunk.become(ChunkState.LOST, reason);
    counters.increment(MetaserverCounter.CHUNKS_LOST);
  }

  // ---- time that runs out
  // ------------------------------------------------------------------------

  /** Live chunkservers that have been silent for too long. */
  List<Chunkserver> silent(long nowMs) {
    return registry.silent(nowMs, settings.deadAfterMs());
  }

  /** Jobs that nobody named for the length of a lease. */
  List<Job> expired(long nowMs) {
    return jobs.expired(nowMs);
  }

  /** Gives a chunkserver up, if it is live, and all it holds. */
  void serverDied(String serverId, long silentMs) {
    Chunkserver server = registry.find(serverId);
    if (server == null || !server.isLive()) {
      return;
    }
    counters.increment(MetaserverCounter.CHUNKSERVERS_DIED);
    LOG.warn(
        "{} is dead: no heartbeat in {} ms, chunks={}", server, silentMs, server.chunks().size());
    server.died();
    for (Chunk chunk : server.chunks().values()) {
      if (chunk.state() != ChunkState.LOST) {
        lose(chunk, "its server is dead");
      }
    }
    registry.forgetDead();
  }

  /** What there is now, by label; a new map. */
  Map<String, Long> gauges() {
    Map<String, Long> gauges = new LinkedHashMap<>();
    gauges.put("metaserver_jobs", (long) jobs.all().size());
    long live = registry.live().size();
    gauges.put("metaserver_chunkservers_live", live);
    gauges.put("metaserver_chunkservers_dead", registry.all().size() - live);
    long[] byState = new long[ChunkState.values().length];
    long manifests = 0;
    long bound = 0;
    for (Job job : jobs.all()) {
      job.chunks().forEach(chunk -> byState[chunk.state().ordinal()]++);
      manifests += job.manifestCount();
      bound += job.bindingCount();
    }
    for (ChunkState state : ChunkState.values()) {
      gauges.put(
          "metaserver_chunks_" + state.name().toLowerCase(Locale.ROOT), byState[state.ordinal()]);
    }
    gauges.put("metaserver_manifests_held", manifests);
    gauges.put("metaserver_appenders_bound", bound);
    return gauges;
  }

  ChunkIds ids() {
    return ids;
  }

  ChunkserverRegistry registry() {
    return registry;
  }

  Jobs jobs() {
    return jobs;
  }
}
