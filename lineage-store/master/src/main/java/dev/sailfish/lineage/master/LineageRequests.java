package dev.sailfish.lineage.master;

import dev.sailfish.ground.replica.Replica;
import dev.sailfish.ground.server.Request;
import dev.sailfish.ground.server.Routes;
import dev.sailfish.ground.wire.Clock;
import dev.sailfish.lineage.master.dependency.Dependency;
import dev.sailfish.lineage.master.dependency.DependencyGraph;
import dev.sailfish.lineage.master.dependency.DependencyGraph.Producer;
import dev.sailfish.lineage.master.dependency.Output;
import dev.sailfish.lineage.master.dependency.OutputState;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.FileWriting;
import dev.sailfish.lineage.master.namespace.Lineage;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.program.LargePrograms;
import dev.sailfish.lineage.master.state.DependencyMessages;
import dev.sailfish.lineage.master.state.StoreMessages;
import dev.sailfish.lineage.master.state.StoreState;
import dev.sailfish.lineage.master.table.Fid;
import dev.sailfish.lineage.master.want.WantedFiles;
import dev.sailfish.lineage.master.want.WantedFiles.Reader;
import dev.sailfish.lineage.protocol.LineageService;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.CreateDependency;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.FileCondition;
import dev.sailfish.lineage.protocol.wire.FindProgramsRequest;
import dev.sailfish.lineage.protocol.wire.FindProgramsResponse;
import dev.sailfish.lineage.protocol.wire.GetDependencyRequest;
import dev.sailfish.lineage.protocol.wire.GetDependencyResponse;
import dev.sailfish.lineage.protocol.wire.ListDependenciesRequest;
import dev.sailfish.lineage.protocol.wire.ListDependenciesResponse;
import dev.sailfish.lineage.protocol.wire.ListLostFilesRequest;
import dev.sailfish.lineage.protocol.wire.ListLostFilesResponse;
import dev.sailfish.lineage.protocol.wire.LostFile;
import dev.sailfish.lineage.protocol.wire.PrepareProgram;
import dev.sailfish.lineage.protocol.wire.ReportRecomputeRequest;
import dev.sailfish.lineage.protocol.wire.ReportRecomputeResponse;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.protocol.wire.WantFileRequest;
import dev.sailfish.lineage.protocol.wire.WantFileResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Questions about lineage records and their programs, the limits of new ones, the end of those that
 * nobody seals, and readers that wait for lost files. Under the state's lock.
 */
final class LineageRequests {
  private static final Logger LOG = LoggerFactory.getLogger(LineageRequests.class);
  private static final int LONGEST_LIST = 1000;

  /** Of what is others' in one answer, and of inputs and outputs. */
  private static final int MOST_LOOKED_AT = 20_000;

  /** How often it is looked for records that do not grow any more, at least. */
  private static final long LOOK_MS = 60_000;

  private static final int LOOKS_PER_IDLE = 4;
  private static final int MOST_WAITING = 100_000;
  private static final int LONGEST_APPLICATION = 100;
  private static final int MOST_PROGRAM_LENGTHS = 10_000;

  private final Replica replica;
  private final StoreState state;
  private final StoreUsers users;
  private final LineageLimits limits;
  private long lookedMs;
  private final Clock clock;
  private final WantedFiles wanted = new WantedFiles(MOST_WAITING);
  private final LargePrograms programs =
      new LargePrograms(LineageService.LARGE_PROGRAM, MOST_PROGRAM_LENGTHS);

  LineageRequests(
      Replica replica, StoreState state, StoreUsers users, LineageLimits limits, Clock clock) {
    this.clock = clock;
    this.replica = replica;
    this.state = state;
    this.users = users;
    this.limits = limits;
  }

  /** Adds the operations. */
  Routes on(Routes routes) {
    return routes
        .on(LineageService.GET_DEPENDENCY, GetDependencyRequest.parser(), this::get)
        .on(LineageService.LIST_DEPENDENCIES, ListDependenciesRequest.parser(), this::list)
        .on(LineageService.LIST_LOST_FILES, ListLostFilesRequest.parser(), this::lost)
        .on(LineageService.WANT_FILE, WantFileRequest.parser(), this::want)
        .on(LineageService.FIND_PROGRAMS, FindProgramsRequest.parser(), this::findPrograms)
        .on(LineageService.REPORT_RECOMPUTE, ReportRecomputeRequest.parser(), this::report);
  }

  /** This master begins to lead, or does so no more: nobody waits, no program is remembered. */
  void clear() {
    wanted.clear();
    programs.clear();
  }

  /** How many lost files are waited for. */
  int wanted() {
    return wanted.files(clock.nanoTime());
  }

  /** Throws when a change is too large, or would make one record too many. */
  void requireWithinLimits(ChangeRequest change) throws NamespaceException {
    if (change.hasCreateDependency()) {
      CreateDependency asked = change.getCreateDependency();
      String owner = change.getUser().getName();
      boolean isNew = replica.look(() -> graph().find(owner, asked.getName()) == null);
      if (isNew) {
        limits.require(asked, owner, replica.look(() -> graph().size()));
      }
    } else if (change.hasPrepareProgram()) {
      limits.require(change.getPrepareProgram());
    } else if (change.hasCreateFile()) {
      requireRoom(change.getCreateFile());
    } else if (change.hasGiveUpFile()) {
      LineageLimits.require(change.getGiveUpFile());
    }
  }

  /** One that was announced had room when it was. */
  private void requireRoom(CreateFile asked) throws NamespaceException {
    boolean wasAnnounced = asked.getComplete() && asked.getFid() != FileWriting.NEW_ID;
    if (asked.getDependency() != 0 && !wasAnnounced) {
      Dependency dependency = replica.look(() -> graph().find(asked.getDependency()));
      limits.requireRoom(dependency == null ? 0 : dependency.outputs());
    }
  }

  /** Ends records that nobody has sealed; to be called often. */
  void tick() {
    long nowMs = replica.nowMs();
    long idleMs = limits.idleMs();
    if (nowMs - lookedMs >= Math.min(LOOK_MS, idleMs / LOOKS_PER_IDLE) && nowMs > idleMs) {
      lookedMs = nowMs;
      long sinceMs = nowMs - idleMs;
      if (replica.look(() -> !graph().idle(sinceMs, 1).isEmpty())) {
        LOG.warn("lineage records that were not sealed and did not grow for {} are sealed", idleMs);
        replica.change(StoreState.sealIdle(sinceMs));
      }
    }
  }

  private DependencyGraph graph() {
    return state.namespace().lineage().graph();
  }

  private Caller caller(Request request, StoreUser said) throws IOException {
    return StoreMessages.caller(users.user(request.principal(), said));
  }

  private void get(Request request, GetDependencyRequest asked) throws IOException {
    Caller caller = caller(request, asked.getUser());
    replica.read(
        request,
        () -> {
          GetDependencyResponse.Builder response = GetDependencyResponse.newBuilder();
          try {
            Dependency dependency = find(asked, caller);
            Lineage.requireOwner(dependency, caller);
            response.setDependency(
                asked.getBrief()
                    ? DependencyMessages.head(dependency).build()
                    : DependencyMessages.record(dependency, true));
          } catch (NamespaceException e) {
            response.setRefusal(StoreMessages.refusal(e));
          }
          return response.build();
        });
  }

  private Dependency find(GetDependencyRequest asked, Caller caller) throws NamespaceException {
    String name = asked.getName();
    if (!name.isEmpty()) {
      Dependency named = graph().find(caller.user(), name);
      if (named == null) {
        throw new NamespaceException(
            Reason.NOT_FOUND, "%s has no dependency named '%s'".formatted(caller.user(), name));
      }
      return named;
    }
    long id = asked.getId();
    if (asked.getFid() != 0) {
      id = Lineage.requireProducer(graph(), asked.getFid()).dependency();
    }
    return find(id);
  }

  private Dependency find(long id) throws NamespaceException {
    return state.namespace().lineage().require(id);
  }

  private static int limit(int wanted) {
    return wanted <= 0 || wanted > LONGEST_LIST ? LONGEST_LIST : wanted;
  }

  private void list(Request request, ListDependenciesRequest asked) throws IOException {
    Caller caller = caller(request, asked.getUser());
    replica.read(request, () -> list(asked, caller));
  }

  private ListDependenciesResponse list(ListDependenciesRequest asked, Caller caller) {
    ListDependenciesResponse.Builder response = ListDependenciesResponse.newBuilder();
    int limit = limit(asked.getLimit());
    int looked = 0;
    for (Dependency dependency : candidates(asked)) {
      if (response.getDependenciesCount() == limit || looked >= MOST_LOOKED_AT) {
        return response.setMore(true).build();
      }
      looked++;
      response.setNextAfter(dependency.id());
      if (Lineage.isOwner(dependency, caller) && asked.getGrowing()) {
        response.addDependencies(DependencyMessages.head(dependency));
      } else if (Lineage.isOwner(dependency, caller)) {
        looked += dependency.outputs() + dependency.recipe().inputs().size();
        response.addDependencies(DependencyMessages.record(dependency, false));
      }
    }
    return response.build();
  }

  private Iterable<Dependency> candidates(ListDependenciesRequest asked) {
    if (asked.getGrowing()) {
      return graph().growingAfter(asked.getAfter());
    }
    if (asked.getInput() == 0) {
      return graph().after(asked.getAfter());
    }
    return Arrays.stream(graph().consumers(asked.getInput()))
            .filter(id -> id > asked.getAfter())
            .mapToObj(graph()::find)
        ::iterator;
  }

  private void lost(Request request, ListLostFilesRequest asked) throws IOException {
    Caller caller = caller(request, asked.getUser());
    replica.read(request, () -> lost(asked, caller));
  }

  private ListLostFilesResponse lost(ListLostFilesRequest asked, Caller caller) {
    ListLostFilesResponse.Builder response = ListLostFilesResponse.newBuilder();
    int limit = limit(asked.getLimit());
    int looked = 0;
    for (long fid : graph().lostAfter(asked.getAfter())) {
      if (response.getFilesCount() == limit || looked == MOST_LOOKED_AT) {
        return response.setMore(true).build();
      }
      looked++;
      response.setNextAfter(fid);
      Producer producer = graph().producer(fid);
      Dependency dependency = graph().find(producer.dependency());
      if (Lineage.isOwner(dependency, caller)) {
        Output output = dependency.output(producer.at());
        List<Reader> readers = wanted.readers(fid, clock.nanoTime());
        String cause = graph().givenUp().cause(fid);
        response.addFiles(
            LostFile.newBuilder()
                .setDependency(dependency.id())
                .setOutput(DependencyMessages.output(output))
                .addAllWaiting(readers.stream().map(Reader::application).toList())
                .addAllWaitingUsers(readers.stream().map(Reader::user).toList())
                .setGivenUp(cause)
                .setProgress(cause.isEmpty() ? progress(producer, output.state()) : "")
                .setPath(path(fid)));
      }
    }
    return response.build();
  }

  /** Where a file is now; empty: it has no name any more. */
  private String path(long fid) {
    try {
      return state.namespace().path(fid);
    } catch (NamespaceException e) {
      return "";
    }
  }

  // ---- readers that wait

  private void want(Request request, WantFileRequest asked) throws IOException {
    StoreUser user = users.user(request.principal(), asked.getUser());
    LineageMaster.require(
        asked.getApplication().length() <= LONGEST_APPLICATION,
        "the id of an application has at most " + LONGEST_APPLICATION + " characters");
    replica.read(
        request,
        () -> {
          try {
            UserAccess.byId(request.principal(), state.namespace(), asked.getFid(), user);
            return want(asked.getFid(), new Reader(asked.getApplication(), user.getName()));
          } catch (NamespaceException e) {
            return WantFileResponse.newBuilder().setRefusal(StoreMessages.refusal(e)).build();
          }
        });
  }

  private WantFileResponse want(long fid, Reader reader) throws NamespaceException {
    Producer producer = Lineage.requireProducer(graph(), fid);
    String cause = graph().givenUp().cause(fid);
    if (!cause.isEmpty()) {
      throw new NamespaceException(
          Reason.LOST,
          "%s (fid=%s) is lost, and was given up: %s"
              .formatted(state.namespace().path(fid), Fid.text(fid), cause));
    }
    Output now = state.namespace().lineage().now(producer);
    WantFileResponse.Builder response =
        WantFileResponse.newBuilder()
            .setState(DependencyMessages.output(now).getState())
            .setDependency(producer.dependency());
    if (now.state().isLost()) {
      wanted.want(fid, reader, clock.nanoTime());
      response.setProgress(progress(producer, now.state()));
    }
    return response.build();
  }

  private String progress(Producer producer, OutputState lost) {
    String reported = wanted.progress(producer.dependency(), clock.nanoTime());
    return reported.isEmpty() ? progress(lost) : reported;
  }

  /** Adds what lineage knows of a file: nothing where it is no output. */
  void describe(long fid, FileCondition.Builder condition) {
    Producer producer = graph().producer(fid);
    if (producer == null) {
      return;
    }
    Output now = state.namespace().lineage().now(producer);
    condition.setState(DependencyMessages.output(now).getState());
    if (now.state().isLost()) {
      String cause = graph().givenUp().cause(fid);
      condition.setProgress(
          cause.isEmpty() ? progress(producer, now.state()) : "given up: " + cause);
    }
  }

  /** What is known when nobody says more. */
  private static String progress(OutputState lost) {
    return switch (lost) {
      case RECOMPUTING -> "it is written again";
      case INTERRUPTED -> "a recompute ended before its end, and no other one has begun";
      default -> "no recompute has begun";
    };
  }

  private void report(Request request, ReportRecomputeRequest asked) throws IOException {
    Caller caller = caller(request, asked.getUser());
    LineageMaster.require(
        asked.getProgress().length() <= LineageService.LONGEST_SENTENCE,
        "a progress has at most " + LineageService.LONGEST_SENTENCE + " characters");
    replica.read(
        request,
        () -> {
          ReportRecomputeResponse.Builder response = ReportRecomputeResponse.newBuilder();
          try {
            Lineage.requireOwner(find(asked.getDependency()), caller);
            wanted.report(asked.getDependency(), asked.getProgress(), clock.nanoTime());
          } catch (NamespaceException e) {
            response.setRefusal(StoreMessages.refusal(e));
          }
          return response.build();
        });
  }

  // ---- programs

  /** A change has prepared the file of a program, or found it there. */
  void prepared(String user, PrepareProgram asked) {
    programs.add(user, asked.getLength(), DependencyMessages.hash(asked.getSha256()));
  }

  private void findPrograms(Request request, FindProgramsRequest asked) throws IOException {
    String user = users.user(request.principal(), asked.getUser()).getName();
    replica.read(
        request,
        () -> {
          FindProgramsResponse.Builder response = FindProgramsResponse.newBuilder();
          for (String hash : programs.find(user, asked.getLength())) {
            response.addSha256(DependencyMessages.sha256(hash));
          }
          return response.build();
        });
  }
}
