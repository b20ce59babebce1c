package dev.sailfish.metaserver.state;

import dev.sailfish.format.CodecId;
import dev.sailfish.format.Ordering;
import dev.sailfish.format.UnsupportedFormatException;
import dev.sailfish.ground.server.RequestRefusedException;
import dev.sailfish.ground.wire.Status;
import dev.sailfish.protocol.wire.CreateIfilesRequest;
import dev.sailfish.protocol.wire.CreateIfilesResponse;
import dev.sailfish.protocol.wire.PlanPartitionResponse;
import java.util.regex.Pattern;

/**
 * What a job's I-files are like.
 *
 * @param name the job's id, {@code job_1234_0001} under YARN
 * @param partitions 1 to 1 000 000
 * @param chunkBytes capacity of a chunk in raw bytes
 * @param encrypted whether what its tasks write is encrypted where it rests
 * @param keepMs how long they are kept when the job has ended, if the leader's limit lets; 0 = not
 * @param untilCheckpointed whether they are to be dropped before when its outputs are checkpointed
 */
public record JobSpec(
    String name,
    String user,
    int partitions,
    Ordering ordering,
    CodecId codec,
    long chunkBytes,
    boolean encrypted,
    long keepMs,
    boolean untilCheckpointed) {
  static final int MAX_PARTITIONS = 1_000_000;

  /** Least capacity of a chunk. */
  public static final long MIN_CHUNK_BYTES = 1L << 20;

  /** Largest capacity of a chunk. */
  public static final long MAX_CHUNK_BYTES = 1L << 30;

  private static final int MAX_USER_CHARS = 255;
  private static final Pattern NAME = Pattern.compile("[!-.0-~]{1,200}");

  /**
   * Checks a request.
   *
   * @throws RequestRefusedException BAD_REQUEST naming what is out of range
   */
  static JobSpec of(CreateIfilesRequest request, long defaultChunkBytes)
      throws RequestRefusedException {
    long asked = request.getChunkBytes();
    long chunkBytes = asked == 0 ? defaultChunkBytes : asked;
    requireName(request.getJob());
    if (request.getPartitions() < 1 || request.getPartitions() > MAX_PARTITIONS) {
      throw bad(
          "partitions=%s is not in 1..%s: job=%s"
              .formatted(
                  Integer.toUnsignedString(request.getPartitions()),
                  MAX_PARTITIONS,
                  request.getJob()));
    }
    if (request.getUser().length() > MAX_USER_CHARS) {
      throw bad(
          "user has too long a name: characters=%s limit=%s: job=%s"
              .formatted(request.getUser().length(), MAX_USER_CHARS, request.getJob()));
    }
    boolean inRange = chunkBytes >= MIN_CHUNK_BYTES && chunkBytes <= MAX_CHUNK_BYTES;
    if (asked != 0 && !inRange) {
      throw bad(
          "chunk_bytes=%s is not in %s..%s (1 MiB to 1 GiB): job=%s"
              .formatted(
                  Long.toUnsignedString(asked),
                  MIN_CHUNK_BYTES,
                  MAX_CHUNK_BYTES,
                  request.getJob()));
    }
    if (request.getKeepMs() < 0) {
      throw bad(
          "keep_ms=%s is too long: job=%s"
              .formatted(Long.toUnsignedString(request.getKeepMs()), request.getJob()));
    }
    try {
      return new JobSpec(
          request.getJob(),
          request.getUser(),
          request.getPartitions(),
          Ordering.ofCode(request.getOrdering()),
          CodecId.ofCode(request.getCodec()),
          chunkBytes,
          request.getEncrypted(),
          request.getKeepMs(),
          request.getUntilCheckpointed());
    } catch (UnsupportedFormatException e) {
      throw bad(e.getMessage() + ": job=" + request.getJob());
    }
  }

  /** The same, encrypted if it is so already or {@code wanted}. */
  JobSpec encryptedIf(boolean wanted) {
    boolean both = encrypted || wanted;
    return new JobSpec(
        name, user, partitions, ordering, codec, chunkBytes, both, keepMs, untilCheckpointed);
  }

  /** The same of another user. */
  JobSpec ownedBy(String other) {
    return new JobSpec(
        name, other, partitions, ordering, codec, chunkBytes, encrypted, keepMs, untilCheckpointed);
  }

  /** What a task would ask for to have the same. */
  CreateIfilesRequest request() {
    return CreateIfilesRequest.newBuilder()
        .setJob(name)
        .setUser(user)
        .setPartitions(partitions)
        .setOrdering(ordering.code())
        .setCodec(codec.code())
        .setChunkBytes(chunkBytes)
        .setEncrypted(encrypted)
        .setKeepMs(keepMs)
        .setUntilCheckpointed(untilCheckpointed)
        .build();
  }

  /** What a task is told that creates the I-files. */
  CreateIfilesResponse.Builder response() {
    return CreateIfilesResponse.newBuilder().setChunkBytes(chunkBytes).setEncrypted(encrypted);
  }

  /** A plan without chunks. */
  PlanPartitionResponse.Builder plan() {
    return PlanPartitionResponse.newBuilder().setOrdering(ordering.code()).setEncrypted(encrypted);
  }

  /**
   * Checks the name of a job and returns it.
   *
   * @throws RequestRefusedException BAD_REQUEST
   */
  public static String requireName(String job) throws RequestRefusedException {
    if (!NAME.matcher(job).matches()) {
      throw bad(
          "job name='"
              + job.substring(0, Math.min(MAX_USER_CHARS, job.length()))
              + "' must be 1 to 200 printable characters without '/'");
    }
    return job;
  }

  private static RequestRefusedException bad(String message) {
    return new RequestRefusedException(Status.BAD_REQUEST, message);
  }
}
