/**
 * A replicated journal for any deterministic state machine, and what drives the machine.
 *
 * <pre>
 *   service ──submit──▶ Journal ──▶ EntryQueue ──▶ EntryBatch ──▶ Raft: log, peers
 *      ▲                                                             │ committed
 *      └──────reply──── StateMachine ◀── JournalDriver ◀── RaftStateMachine ──▶ SnapshotWriter
 * </pre>
 *
 * <p>A service implements {@link dev.sailfish.ground.journal.StateMachine} and {@link
 * dev.sailfish.ground.journal.PeerNetwork}, opens a {@link dev.sailfish.ground.journal.Journal},
 * puts both under a {@link dev.sailfish.ground.journal.JournalDriver}, calls that one's tick some
 * times a second, and submits changes to the journal. docs/JOURNAL.md says what is kept and when;
 * {@code JournalDirectory} draws the files, {@code EntryBatch} the bytes of an entry of the log.
 *
 * <p><b>Buffers.</b> Each {@code byte[]} that is passed on changes its owner: an entry or a message
 * belongs to the journal, a reply or an answer to the caller. An entry is copied once, into its
 * batch.
 *
 * <p><b>Threads.</b> The state is called under the driver's lock, one call at a time: by Raft's
 * thread that applies entries, by the thread that writes a snapshot, and by the service's own.
 * Replies complete on a thread of Raft, which therefore must not wait. Messages of peers are taken
 * by up to four threads of the journal.
 *
 * <p><b>Errors.</b> What is not taken is a {@link dev.sailfish.ground.journal.JournalException}
 * with what to do about it. After {@code failed} the journal takes nothing more, and the process
 * must end; what was acknowledged is kept.
 */
package dev.sailfish.ground.journal;
