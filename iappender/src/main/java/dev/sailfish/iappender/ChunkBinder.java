package dev.sailfish.iappender;

import dev.sailfish.protocol.wire.AppendRequest;
import dev.sailfish.protocol.wire.BindRequest;
import dev.sailfish.protocol.wire.BindResponse;
import dev.sailfish.protocol.wire.BindTarget;
import dev.sailfish.protocol.wire.Binding;
import dev.sailfish.protocol.wire.CreateIfilesResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Asks the metaserver which chunks to append to, and knows the chunkservers that they are on. */
final class ChunkBinder {
  /** The metaserver refuses requests that are too long for its heap. */
  private static final int MOST_TARGETS = 8192;

  private final MetaserverLink metaserver;
  private final MapAttempt attempt;
  private final IappenderConfig config;
  private final Duration linkDeadline;
  private final IfileSpec spec;
  private final CreateIfilesResponse job;
  private final Map<String, AppendLink> links = new HashMap<>();
  private final List<AppendLink> linkList = new ArrayList<>();
  private final Set<String> avoided = new LinkedHashSet<>();

  /**
   * @param job how the job's I-files were created
   */
  ChunkBinder(
      MetaserverLink metaserver, IappenderConfig config, IfileSpec spec, CreateIfilesResponse job) {
    this.metaserver = metaserver;
    this.attempt = metaserver.attempt;
    this.config = config;
    this.linkDeadline = SilenceWatch.period(config.deadline());
    this.spec = spec;
    this.job = job;
  }

  /** Binds the partitions, at most some thousand with each request. */
  void bind(List<PartitionLog> logs) throws IOException {
    // Each target names the servers that are avoided.
    int most = Math.max(1, MOST_TARGETS / (1 + avoided.size()));
    for (int from = 0; from < logs.size(); from += most) {
      bindSome(logs.subList(from, Math.min(logs.size(), from + most)));
    }
  }

  private void bindSome(List<PartitionLog> logs) throws IOException {
    BindRequest.Builder request =
        BindRequest.newBuilder()
            .setJob(attempt.job())
            .setMap(attempt.map())
            .setAttempt(attempt.attempt())
            .setHost(config.host());
    for (PartitionLog log : logs) {
      request.addTargets(
          BindTarget.newBuilder()
              .setPartition(log.partition)
              .setPreviousChunk(log.chunk)
              .setPreviousFull(log.full)
              .addAllAvoidServers(avoided));
    }
    BindResponse response = metaserver.bind(request.build());
    if (response.getBindingsCount() != logs.size()) {
      throw new IOException(
          "metaserver bound other partitions than asked: %s asked=%s bound=%s"
              .formatted(attempt, logs.size(), response.getBindingsCount()));
    }
    for (int i = 0; i < logs.size(); i++) {
      bind(logs.get(i), response.getBindings(i));
    }
  }

  private void bind(PartitionLog log, Binding binding) throws IOException {
    if (binding.getPartition() != log.partition || binding.getChunk() == 0) {
      throw new IOException(
          "metaserver bound another partition than asked: %s asked=%s bound=%s chunk=%s"
              .formatted(
                  attempt,
                  log.partition,
                  binding.getPartition(),
                  Long.toHexString(binding.getChunk())));
    }
    log.bind(
        link(binding),
        AppendRequest.newBuilder()
            .setJob(attempt.job())
            .setOrdering(spec.order().ordering().code())
            .setCodec(spec.codec().code())
            .setChunkBytes(job.getChunkBytes())
            .setEncrypted(job.getEncrypted())
            .setChunk(binding.getChunk())
            .setPartition(log.partition)
            .build());
  }

  private AppendLink link(Binding binding) {
    String key = binding.getServerId() + "@" + binding.getHost() + ":" + binding.getPort();
    AppendLink link = links.get(key);
    if (link == null) {
      InetSocketAddress address = new InetSocketAddress(binding.getHost(), binding.getPort());
      link =
          new AppendLink(
              config.network(),
              binding.getServerId(),
              address,
              attempt.caller(),
              config.credentials(),
              linkDeadline);
      links.put(key, link);
      linkList.add(link);
    }
    return link;
  }

  /** All chunkservers that were ever bound to. */
  List<AppendLink> links() {
    return linkList;
  }

  /** Whether anything was ever bound. */
  boolean bound() {
    return !linkList.isEmpty();
  }

  /** The server is to be avoided from now on. */
  void avoid(AppendLink link) {
    avoided.add(link.id);
  }

  /** The server works again. */
  void works(AppendLink link) {
    link.works();
    if (!avoided.isEmpty()) {
      avoided.remove(link.id);
    }
  }
}
