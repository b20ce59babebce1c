package dev.sailfish.metaserver;

import dev.sailfish.protocol.ChunkState;
import dev.sailfish.protocol.ProtocolException;
import dev.sailfish.protocol.Status;
import dev.sailfish.protocol.wire.AbortAttemptRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindResponse;
import dev.sailfish.protocol.wire.BindTarget;
import dev.sailfish.protocol.wire.Binding;
import dev.sailfish.protocol.wire.ChunkReport;
import dev.sailfish.protocol.wire.CommitManifestRequest;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.CreateIfilesResponse;
import dev.sailfish.protocol.wire.DescribeJobRequest;
import dev.sailfish.protocol.wire.DescribeJobResponse;
import dev.sailfish.protocol.wire.DrainRequest;
import dev.sailfish.protocol.wire.DrainResponse;
import dev.sailfish.protocol.wire.HeartbeatRequest;
import dev.sailfish.protocol.wire.HeartbeatResponse;
import dev.sailfish.protocol.wire.ListJobsResponse;
import dev.sailfish.protocol.wire.PlanPartitionRequest;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import dev.sailfish.protocol.wire.RegisterChunkserverRequest;
import dev.sailfish.protocol.wire.RegisterChunkserverResponse;
import dev.sailfish.protocol.wire.ReportUnreadableRequest;
import dev.sailfish.protocol.wire.WinnerManifest;
import dev.sailfish.transport.Counters;
import dev.sailfish.transport.Principal;
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
 * in the same order give the same state and answers. So it can be simulated, and its calls can be
 * journaled.
 *
 * <p>A request is checked before it changes anything: one that is refused changed nothing (but
 * renewed its job's lease).
 *
 * <p>State is not kept over restarts. A chunkserver that registers again is told to delete the
 * chunks of jobs that are unknown here; tasks of such jobs get JOB_UNKNOWN.
 */
final class MetaserverState {
  private static final Logger LOG = LoggerFactory.getLogger(MetaserverState.class);

  /** Most chunks in one answer: some megabytes. */
  private static final int MAX_LISTED = 50_000;

  private static final int MAX_NAME_CHARS = 255;
  private static final int MAX_PORT = 0xffff;

  private final StateSettings settings;
  private final Counters<MetaserverCounter> counters;
  private final ChunkIds ids;
  private final Jobs jobs;
  private final BoundKeys keys;
  private final ChunkserverRegistry registry = new ChunkserverRegistry();
  private final Drains drains = new Drains(registry);

  /**
   * @param startMs milliseconds since 1970 at the start of this metaserver, later than at any
   *     earlier start
   */
  MetaserverState(StateSettings settings, Counters<MetaserverCounter> counters, long startMs) {
    this.settings = settings;
    this.counters = counters;
    this.ids = new ChunkIds(startMs);
    this.jobs = new Jobs(settings.leaseMs());
    this.keys = new BoundKeys(settings.leaseMs());
  }

  // ---- tasks
  // -------------------------------------------------------------------------------------

  /** Creates a job's I-files; repeating it is no error. */
  CreateIfilesResponse createIfiles(CreateIfilesRequest request, long nowMs)
      throws RequestRefusedException {
    JobSpec spec = JobSpec.of(request, settings.defaultChunkBytes());
    if (jobs.find(spec.name()) == null) {
      requireQuota(spec, spec.partitions());
    }
    Jobs.Created created = jobs.create(spec, nowMs);
    if (created.isNew()) {
      counters.increment(MetaserverCounter.JOBS_CREATED);
      LOG.info("created {}", created.job().spec());
    }
    CreateIfilesResponse.Builder response =
        CreateIfilesResponse.newBuilder().setChunkBytes(created.job().spec().chunkBytes());
    AttemptId attempt = new AttemptId(request.getMap(), request.getAttempt());
    int held = created.job().describeHeld(attempt, response);
    counters.add(MetaserverCounter.PARTITIONS_HELD, held);
    return response.build();
  }

  /**
   * Refuses what a user wants who is over a quota.
   *
   * @param ifiles how many I-files more the job needs
   */
  private void requireQuota(JobSpec spec, int ifiles) throws RequestRefusedException {
    if (settings.quota().equals(UserQuota.NONE)) {
      return;
    }
    String refusal = settings.quota().refusal(jobs.usage(spec.user()), ifiles);
    if (refusal != null) {
      counters.increment(MetaserverCounter.QUOTA_REFUSALS);
      throw new RequestRefusedException(Status.OVER_QUOTA, refusal + ": job=" + spec.name());
    }
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
    requireQuota(job.spec(), 0);
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
    Manifest manifest = Manifest.of(attempt, request.getPartitionsList(), job::manifest);
    if (job.commit(attempt, manifest)) {
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
    if (request.getNotRepeatable()) {
      job.notRepeatable(attempt.map());
      LOG.warn("map makes other records each time: job={} {}", job.name(), attempt);
    }
    job.unbindAll(attempt);
  }

  /** Takes note of chunks that a reader could not read. */
  void reportUnreadable(ReportUnreadableRequest request, long nowMs)
      throws RequestRefusedException {
    Job job = jobs.require(request.getJob(), nowMs);
    for (long id : request.getChunksList()) {
      Chunk chunk = job.chunk(id);
      if (chunk != null && chunk.becomeSuspect()) {
        counters.increment(MetaserverCounter.CHUNKS_UNREADABLE);
      }
    }
  }

  /** What to read for a partition, given the winning attempts. */
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
      if (request.getFinal()) {
        chunk.closeToBindings("all maps have a winner");
      }
      response.addChunks(chunk.location());
    }
    counters.increment(MetaserverCounter.PLANS);
    return response.build();
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

  // ---- keys
  // --------------------------------------------------------------------------------------

  /**
   * The principal of a job with the key that it is bound to, or null when it is not bound yet.
   *
   * @throws RequestRefusedException JOB_UNKNOWN when the job has ended
   */
  Principal keyOf(String job) throws RequestRefusedException {
    jobs.requireNotEnded(job);
    return keys.find(job);
  }

  /**
   * Binds a job that is not bound yet to a key.
   *
   * @return the principal with the key that counts, which may be another one
   * @throws RequestRefusedException JOB_UNKNOWN when the job has ended
   */
  Principal bindKey(String job, byte[] key, long nowMs) throws RequestRefusedException {
    jobs.requireNotEnded(job);
    return keys.bind(job, key, nowMs);
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
      drains.forget(chunk);
      chunk.server().chunks().remove(chunk.id());
      chunk.server().deleteJob(job.name());
    }
    drains.jobEnds(job.name());
    jobs.remove(job, nowMs);
    keys.forget(job.name());
  }

  // ---- people
  // ------------------------------------------------------------------------------------

  /** All jobs by name. */
  ListJobsResponse listJobs(long nowMs) {
    ListJobsResponse.Builder response = ListJobsResponse.newBuilder();
    jobs.all().forEach(job -> response.addJobs(job.summary(nowMs)));
    return response.build();
  }

  /** One job and a page of its chunks; looking does not renew its lease. */
  DescribeJobResponse describeJob(DescribeJobRequest request, long nowMs)
      throws RequestRefusedException {
    Job job = jobs.find(request.getJob());
    if (job == null) {
      throw new RequestRefusedException(
          Status.JOB_UNKNOWN, "job is unknown here: job=" + request.getJob());
    }
    DescribeJobResponse.Builder response =
        DescribeJobResponse.newBuilder().setSummary(job.summary(nowMs));
    int limit = Integer.toUnsignedLong(request.getLimit()) > MAX_LISTED ? 0 : request.getLimit();
    limit = limit == 0 ? MAX_LISTED : limit;
    for (Chunk chunk : job.chunks()) {
      boolean wanted =
          request.getPartition() < 0 || request.getPartition() == chunk.ifile().partition();
      if (wanted && Long.compareUnsigned(chunk.id(), request.getAfterChunk()) > 0) {
        if (response.getChunksCount() == limit) {
          return response.setMore(true).build();
        }
        response.addChunks(chunk.describe());
      }
    }
    return response.build();
  }

  /** What each user's jobs have, beside the quota, for people; a new map. */
  Map<String, String> users() {
    Map<String, String> users = new LinkedHashMap<>();
    jobs.usages().forEach((user, usage) -> users.put(user, settings.quota().show(usage)));
    return users;
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

  /** Begins to empty a chunkserver, or tells how far that is. */
  DrainResponse drain(DrainRequest request) throws RequestRefusedException {
    return drains.drain(request.getServer());
  }

  /** A chunkserver joins, or comes back, and tells all it holds. */
  RegisterChunkserverResponse register(RegisterChunkserverRequest request, String rack, long nowMs)
      throws RequestRefusedException {
    checkNames(request);
    List<Report> reports = Report.listOf(request.getChunksList());
    Chunkserver server = registry.findOrAdd(request.getServerId());
    server.registered(request, rack, nowMs);
    counters.increment(MetaserverCounter.REGISTRATIONS);
    RegisterChunkserverResponse.Builder response =
        RegisterChunkserverResponse.newBuilder().setRack(rack).setHeartbeatMs((int) heartbeatMs());
    Set<Long> held = new HashSet<>();
    for (Report report : reports) {
      ids.observe(report.id());
      held.add(report.id());
      if (!apply(server, report)) {
        response.addUnknownChunks(report.id());
      }
    }
    drains.registered(server);
    int lost = 0;
    for (Chunk chunk : server.chunks().values()) {
      boolean gone = chunk.isReported() && !held.contains(chunk.id());
      if (gone && chunk.state() != ChunkState.LOST) {
        lose(chunk, "its server came back without it");
        lost++;
      }
    }
    LOG.info(
        "registered {}: chunks={} of which unknown={}, lost={}",
        server,
        request.getChunksCount(),
        response.getUnknownChunksCount(),
        lost);
    return response.build();
  }

  private static void checkNames(RegisterChunkserverRequest request)
      throws RequestRefusedException {
    int id = request.getServerId().length();
    int host = request.getHost().length();
    boolean named = id > 0 && id <= MAX_NAME_CHARS && host > 0 && host <= MAX_NAME_CHARS;
    if (!named || request.getPort() < 1 || request.getPort() > MAX_PORT) {
      throw bad(
          "a chunkserver needs server_id and host of 1 to "
              + MAX_NAME_CHARS
              + " characters and a port in 1.."
              + MAX_PORT
              + ": characters of id="
              + id
              + " of host="
              + host
              + " port="
              + Integer.toUnsignedString(request.getPort()));
    }
  }

  /**
   * A chunkserver reports. What it must be told comes from {@link #takeCommands}.
   *
   * @param session names the connection; see {@link Chunkserver}
   * @return false when it must register first
   */
  boolean heartbeat(HeartbeatRequest request, String session, long nowMs)
      throws RequestRefusedException {
    counters.increment(MetaserverCounter.HEARTBEATS);
    Chunkserver server = registry.find(request.getServerId());
    if (server == null || !server.isLive()) {
      return false;
    }
    List<Report> reports = Report.listOf(request.getChangedList());
    server.heard(request, session, nowMs);
    drains.failed(server, request.getUnfetchedList(), nowMs);
    for (Report report : reports) {
      boolean applied = apply(server, report);
      boolean known = server.chunks().containsKey(report.id());
      if (!applied && (report.state() != ChunkState.LOST || !known)) {
        server.deleteChunk(report.id());
      }
    }
    for (String name : request.getActiveJobsList()) {
      renewIfKnown(name, nowMs);
    }
    return true;
  }

  /** Whether a chunkserver's heartbeat should be answered at once. */
  boolean hasNews(String serverId) {
    Chunkserver server = registry.find(serverId);
    return server == null || !server.isLive() || server.hasCommands();
  }

  /** What a chunkserver has to be told now; empty when there is nothing. */
  HeartbeatResponse takeCommands(String serverId) {
    Chunkserver server = registry.find(serverId);
    if (server == null || !server.isLive()) {
      return HeartbeatResponse.newBuilder().setRegisterAgain(true).build();
    }
    return server.takeCommands();
  }

  /** One chunk as its server sees it, decoded. */
  private record Report(ChunkReport wire, ChunkState state) {
    static List<Report> listOf(List<ChunkReport> wire) throws RequestRefusedException {
      List<Report> reports = new ArrayList<>(wire.size());
      for (ChunkReport report : wire) {
        try {
          reports.add(new Report(report, ChunkState.ofCode(report.getState())));
        } catch (ProtocolException e) {
          throw bad(e.getMessage() + ": chunk=" + Long.toHexString(report.getChunk()));
        }
      }
      return reports;
    }

    long id() {
      return wire.getChunk();
    }
  }

  /** Takes a report over; returns false when the chunk should not be there. */
  private boolean apply(Chunkserver server, Report report) {
    if (drains.arrived(server, report.wire(), report.state())) {
      return true;
    }
    Chunk chunk = server.chunks().get(report.id());
    if (chunk == null
        || chunk.state() == ChunkState.LOST
        || !chunk.ifile().job().equals(report.wire().getJob())) {
      return false;
    }
    if (report.state() == ChunkState.LOST) {
      LOG.warn("{} is lost, its server says so", chunk);
      lose(chunk, "its server says so");
    } else {
      chunk.apply(report.wire(), report.state());
    }
    return true;
  }

  private void lose(Chunk chunk, String reason) {
    chunk.become(ChunkState.LOST, reason);
    drains.forget(chunk);
    counters.increment(MetaserverCounter.CHUNKS_LOST);
  }

  // ---- time
  // --------------------------------------------------------------------------------------

  /** Lets time pass: ends leases, and gives up chunkservers that are silent. */
  void tick(long nowMs) {
    for (Chunkserver server : registry.silent(nowMs, settings.deadAfterMs())) {
      counters.increment(MetaserverCounter.CHUNKSERVERS_DIED);
      LOG.warn(
          "{} is dead: no heartbeat in {} ms, its chunks={} are lost",
          server,
          nowMs - server.lastHeardMs(),
          server.chunks().size());
      server.died();
      drains.forgetArrivals(server);
      for (Chunk chunk : server.chunks().values()) {
        if (chunk.state() != ChunkState.LOST) {
          lose(chunk, "its server is dead");
        }
      }
    }
    for (Job job : jobs.expired(nowMs)) {
      String reason = "nobody named it in " + (nowMs - job.renewedMs()) + " ms";
      delete(job, MetaserverCounter.LEASES_EXPIRED, reason, nowMs);
    }
    registry.forgetDead();
    drains.advance(nowMs);
    keys.tick(nowMs, name -> jobs.find(name) != null);
  }

  /** What there is now, by label; a new map. */
  Map<String, Long> gauges() {
    Map<String, Long> gauges = new LinkedHashMap<>();
    gauges.put("metaserver_jobs", (long) jobs.all().size());
    gauges.put("metaserver_chunkservers_draining", (long) registry.draining().size());
    gauges.put("metaserver_chunks_to_hand_over", drains.chunksLeft());
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

  ChunkserverRegistry registry() {
    return registry;
  }

  Jobs jobs() {
    return jobs;
  }
}
