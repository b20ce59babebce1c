package dev.sailfish.lineage.master.state;

import dev.sailfish.lineage.master.message.SeenBelow;
import dev.sailfish.lineage.master.namespace.Below;
import dev.sailfish.lineage.master.namespace.BlockCopies;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.Content;
import dev.sailfish.lineage.master.namespace.Creation;
import dev.sailfish.lineage.master.namespace.FileInfo;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.Sighting;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.master.namespace.Worker;
import dev.sailfish.lineage.protocol.wire.BlockLocation;
import dev.sailfish.lineage.protocol.wire.CompleteFile;
import dev.sailfish.lineage.protocol.wire.CompleteRecompute;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.FileEntry;
import dev.sailfish.lineage.protocol.wire.Refusal;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import dev.sailfish.lineage.protocol.wire.UnderFileRecord;
import dev.sailfish.lineage.protocol.wire.WorkerAddress;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/** What the namespace says, in messages of the wire. */
public final class StoreMessages {
  private StoreMessages() {}

  /** Who asks, by a message. */
  public static Caller caller(StoreUser user) {
    return new Caller(user.getName(), Set.copyOf(user.getGroupsList()), user.getSuperuser());
  }

  /** The message with what is known of a file. */
  public static FileEntry entry(FileInfo info) {
    return FileEntry.newBuilder()
        .setFid(info.fid())
        .setName(info.name())
        .setDirectory(info.isDirectory())
        .setComplete(info.isComplete())
        .setLength(info.length())
        .setBlockSize(info.blockSize())
        .setModifiedMs(info.modifiedMs())
        .setOwner(info.owner())
        .setGroup(info.group())
        .setMode(info.mode())
        .setBelow(info.isBelow())
        .build();
  }

  /** What a writer says of a file that it has completed. */
  static Content content(CompleteFile file) {
    return new Content(
        file.getLength(),
        places(file.getPlacesList()),
        checksum(file.hasChecksum(), file.getChecksum()));
  }

  /** The same of a file that is begun and completed at once. */
  static Content content(CreateFile file) {
    return new Content(
        file.getLength(),
        places(file.getPlacesList()),
        checksum(file.hasChecksum(), file.getChecksum()));
  }

  /** The same of a file that was lost. */
  static Content content(CompleteRecompute file) {
    return new Content(
        file.getLength(), places(file.getPlacesList()), OptionalInt.of(file.getChecksum()));
  }

  private static int[] places(List<Integer> places) {
    return places.stream().mapToInt(Integer::intValue).toArray();
  }

  private static OptionalInt checksum(boolean isSaid, int checksum) {
    return isSaid ? OptionalInt.of(checksum) : OptionalInt.empty();
  }

  /** The message with where a worker is. */
  public static WorkerAddress address(Worker worker) {
    return WorkerAddress.newBuilder()
        .setNumber(worker.number())
        .setHost(worker.host())
        .setPort(worker.port())
        .build();
  }

  /** The message with where a block is. */
  public static BlockLocation location(BlockCopies block) {
    BlockLocation.Builder location = BlockLocation.newBuilder().setBlock(block.block());
    for (int place : block.places()) {
      location.addPlaces(place);
    }
    return location.build();
  }

  /** The message with why something was refused. */
  public static Refusal refusal(NamespaceException why) {
    Refusal.Reason reason =
        switch (why.reason()) {
          case NOT_FOUND -> Refusal.Reason.NOT_FOUND;
          case EXISTS -> Refusal.Reason.EXISTS;
          case NOT_A_DIRECTORY -> Refusal.Reason.NOT_A_DIRECTORY;
          case IS_A_DIRECTORY -> Refusal.Reason.IS_A_DIRECTORY;
          case NOT_EMPTY -> Refusal.Reason.NOT_EMPTY;
          case DENIED -> Refusal.Reason.DENIED;
          case INVALID -> Refusal.Reason.INVALID;
          case NOT_WRITING -> Refusal.Reason.NOT_WRITING;
          case NOT_COMPLETE -> Refusal.Reason.NOT_COMPLETE;
          case LOST -> Refusal.Reason.LOST;
          case FULL -> Refusal.Reason.FULL;
          case QUOTA -> Refusal.Reason.QUOTA;
          case NOT_ANNOUNCED -> Refusal.Reason.NOT_ANNOUNCED;
        };
    return Refusal.newBuilder().setReason(reason).setMessage(why.getMessage()).build();
  }

  /** What is below, by a message. */
  public static Below below(UnderFileRecord record) {
    return new Below(
        record.getDirectory(),
        record.getLength(),
        record.getModifiedMs(),
        record.getTag(),
        record.hasCrc32C() ? OptionalInt.of(record.getCrc32C()) : OptionalInt.empty(),
        record.getReplaced());
  }

  /** The message with what is below. */
  public static UnderFileRecord record(Below below) {
    UnderFileRecord.Builder record =
        UnderFileRecord.newBuilder()
            .setDirectory(below.isDirectory())
            .setLength(below.length())
            .setModifiedMs(below.modifiedMs())
            .setTag(below.tag())
            .setReplaced(below.isReplaced());
    below.crc32c().ifPresent(record::setCrc32C);
    return record.build();
  }

  /** What was seen below, by an entry. */
  static Sighting sighting(SeenBelow seen) throws NamespaceException {
    Sighting.Found found =
        seen.hasFound()
            ? new Sighting.Found(
                below(seen.getFound()),
                seen.getOwner(),
                seen.getGroup(),
                seen.getMode(),
                seen.getBlockSizeLog())
            : null;
    Below known = seen.hasKnown() ? below(seen.getKnown()) : null;
    return new Sighting(StorePath.of(seen.getPath()), seen.getFid(), known, found);
  }

  /** The part of an entry with what was seen below. */
  static SeenBelow seen(Sighting sighting) {
    SeenBelow.Builder seen =
        SeenBelow.newBuilder().setPath(sighting.path().toString()).setFid(sighting.fid());
    if (sighting.known() != null) {
      seen.setKnown(record(sighting.known()));
    }
    Sighting.Found found = sighting.found();
    if (found != null) {
      seen.setFound(record(found.file()))
          .setOwner(found.owner())
          .setGroup(found.group())
          .setMode(found.mode())
          .setBlockSizeLog(found.blockSizeLog());
    }
    return seen.build();
  }

  /** How a file is to be made. */
  public static Creation creation(CreateFile asked, long client) {
    int parentMode = asked.getMakeParents() ? asked.getParentMode() : Creation.NO_PARENTS;
    return new Creation(
        asked.getMode(), parentMode, asked.getBlockSizeLog(), asked.getReplace(), client);
  }
}
