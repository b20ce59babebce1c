package dev.sailfish.lineage.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sailfish.lineage.master.message.StoreEntry;
import dev.sailfish.lineage.master.namespace.Caller;
import dev.sailfish.lineage.master.namespace.FileWriting;
import dev.sailfish.lineage.master.namespace.Namespace;
import dev.sailfish.lineage.master.namespace.NamespaceException;
import dev.sailfish.lineage.master.namespace.NamespaceException.Reason;
import dev.sailfish.lineage.master.namespace.StorePath;
import dev.sailfish.lineage.protocol.wire.ChangeRequest;
import dev.sailfish.lineage.protocol.wire.CompleteFile;
import dev.sailfish.lineage.protocol.wire.CreateFile;
import dev.sailfish.lineage.protocol.wire.DeletePath;
import dev.sailfish.lineage.protocol.wire.RenamePath;
import dev.sailfish.lineage.protocol.wire.StoreUser;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the journal is asked for, and when; the journal here answers when the test says so. */
class AnnouncementsTest {
  private static final long CLIENT = 7;
  private static final Caller ROOT = new Caller("root", Set.of(), true);

  private final Namespace namespace = Namespace.empty();
  private final List<ChangeRequest> journaled = new ArrayList<>();
  private final List<CompletableFuture<byte[]>> answers = new ArrayList<>();
  private long nowNs;
  private final Announcements announcements = new Announcements(this::submit, () -> nowNs);
  private List<Long> fids;

  @BeforeEach
  void begin() throws NamespaceException {
    namespace.makeDirectories(StorePath.of("/a/b"), 0777, ROOT, 1);
    fids = namespace.writing().reserve(CLIENT, 3, ROOT);
  }

  private CompletableFuture<byte[]> submit(byte[] entry) {
    try {
      journaled.add(StoreEntry.parseFrom(entry).getAnnounced());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    answers.add(new CompletableFuture<>());
    return answers.get(answers.size() - 1);
  }

  private ChangeRequest creation(String path, long fid) {
    CreateFile file =
        CreateFile.newBuilder().setPath(path).setMode(0644).setBlockSizeLog(20).setFid(fid).build();
    return ChangeRequest.newBuilder()
        .setClient(CLIENT)
        .setUser(StoreUser.newBuilder().setName("root").setSuperuser(true))
        .setCreateFile(file)
        .build();
  }

  private void announce(String path, int id) throws NamespaceException {
    assertThat(announcements.announce(namespace, creation(path, fids.get(id))).getFid())
        .isEqualTo(fids.get(id));
  }

  private void assertNotAnnounced(String path, int id) {
    assertThatThrownBy(() -> announce(path, id))
        .isInstanceOfSatisfying(
            NamespaceException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_ANNOUNCED));
  }

  private ChangeRequest completion(String path, int id) {
    ChangeRequest begun = creation(path, fids.get(id));
    CreateFile complete = begun.getCreateFile().toBuilder().setComplete(true).build();
    return begun.toBuilder().setCreateFile(complete).build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/a", "/a/b", "/a/b/f", "/a/b/f/below"})
  void aQuestionAboutItWaitsForTheJournal(String path) throws NamespaceException {
    announce("/a/b/f", 0);
    CompletableFuture<Void> first = announcements.settle(path, FileWriting.NEW_ID);
    CompletableFuture<Void> second = announcements.settle("", fids.get(0));
    assertThat(journaled).containsExactly(creation("/a/b/f", fids.get(0)));
    assertThat(first).isNotDone();
    assertThat(second).isNotDone();
    answers.get(0).complete(new byte[0]);
    assertThat(first).isCompleted();
    assertThat(second).isCompleted();
    assertThat(announcements.settle(path, FileWriting.NEW_ID)).isCompleted();
    assertThat(journaled).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/a/b/g", "/a/b/f0", "/a/b/f.x", "/a/bb"})
  void otherQuestionsDoNot(String path) throws NamespaceException {
    announce("/a/b/f", 0);
    assertThat(announcements.settle(path, fids.get(1))).isCompleted();
    assertThat(journaled).isEmpty();
  }

  @Test
  void itsCompletionIsTheOneChange() throws NamespaceException {
    announce("/a/b/f", 0);
    ChangeRequest change = completion("/a/b/f", 0);
    assertThat(announcements.enter(change)).isNull();
    CompletableFuture<Void> question = announcements.settle("/a/b/f", FileWriting.NEW_ID);
    assertThat(question).as("it waits until the file is complete").isNotDone();
    announcements.leave(change);
    assertThat(question).isCompleted();
    assertThat(journaled).isEmpty();
    announce("/a/b/f", 1);
  }

  @Test
  void aFileOfARecordIsAnnouncedIfTheRecordIsGrowing() throws NamespaceException {
    ChangeRequest begun = creation("/a/b/f", fids.get(0));
    CreateFile ofRecord = begun.getCreateFile().toBuilder().setDependency(9).build();
    ChangeRequest announced = begun.toBuilder().setCreateFile(ofRecord).build();
    assertThatThrownBy(() -> announcements.announce(namespace, announced))
        .isInstanceOfSatisfying(
            NamespaceException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_FOUND))
        .hasMessageContaining("dependency=9");
    announce("/a/b/f", 0);
  }

  @Test
  void changesOfOthersWait() throws NamespaceException {
    announce("/a/b/f", 0);
    DeletePath delete = DeletePath.newBuilder().setPath("/a").setRecursive(true).build();
    ChangeRequest change = ChangeRequest.newBuilder().setDeletePath(delete).build();
    CompletableFuture<Void> waiting = announcements.enter(change);
    assertThat(waiting).isNotDone();
    assertThat(journaled).hasSize(1);
    answers.get(0).complete(new byte[0]);
    assertThat(waiting).isCompleted();
    assertThat(announcements.enter(change)).isNull();
  }

  @Test
  void anotherCreationOfTheNameIsNotItsCompletion() throws NamespaceException {
    announce("/a/b/f", 0);
    assertThat(announcements.enter(completion("/a/b/f", 1))).isNotNull();
    assertNotAnnounced("/a/b/f", 1);
    ChangeRequest foreign = completion("/a/b/f", 0).toBuilder().setClient(CLIENT + 1).build();
    assertThat(announcements.enter(foreign)).isNotNull();
  }

  @Test
  void aChangeByIdWaits() throws NamespaceException {
    announce("/a/b/f", 0);
    CompleteFile complete = CompleteFile.newBuilder().setFid(fids.get(0)).build();
    ChangeRequest change = ChangeRequest.newBuilder().setCompleteFile(complete).build();
    assertThat(announcements.enter(change)).isNotDone();
  }

  @Test
  void nothingIsAnnouncedThatAChangeMayBeAbout() throws NamespaceException {
    RenamePath rename = RenamePath.newBuilder().setFrom("/x").setTo("/a/b/f").build();
    ChangeRequest change = ChangeRequest.newBuilder().setRenamePath(rename).build();
    assertThat(announcements.enter(change)).isNull();
    assertThat(announcements.enter(change)).isNull();
    assertNotAnnounced("/a/b/f", 0);
    announcements.leave(change);
    assertNotAnnounced("/a/b/f", 0);
    announce("/a/b/g", 1);
    announcements.leave(change);
    announce("/a/b/f", 0);
  }

  @Test
  void aRepetitionDoesNoHarm() throws NamespaceException {
    announce("/a/b/f", 0);
    announce("/a/b/f", 0);
    assertNotAnnounced("/a/b/g", 0);
  }

  @Test
  void theJournalGetsWhatIsHeldForLong() throws NamespaceException {
    announce("/a/b/f", 0);
    announcements.settleOld();
    nowNs += Duration.ofSeconds(1).toNanos();
    announce("/a/b/g", 1);
    assertThat(journaled).isEmpty();
    announcements.settleOld();
    announcements.settleOld();
    assertThat(journaled).containsExactly(creation("/a/b/f", fids.get(0)));
  }

  @Test
  void theNextLeaderKnowsNothing() throws NamespaceException {
    announce("/a/b/f", 0);
    announcements.clear();
    assertThat(announcements.settle("/", fids.get(0))).isCompleted();
    ChangeRequest change = completion("/a/b/f", 0);
    assertThat(announcements.enter(change)).isNull();
    announcements.clear();
    announcements.leave(change);
    announce("/a/b/f", 0);
  }
}
