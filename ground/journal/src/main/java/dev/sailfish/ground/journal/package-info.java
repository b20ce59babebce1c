/**
 * A replicated journal for any deterministic state machine, and what drives the machine.
 *
 * <p>A service implements {@link dev.sailfish.ground.journal.StateMachine} and {@link
 * dev.sailfish.ground.journal.PeerNetwork}, opens a {@link dev.sailfish.ground.journal.Journal},
 * puts both under a {@link dev.sailfish.ground.journal.JournalDriver}, calls that one's tick some
 * times a second, and submits changes to the journal. docs/JOURNAL.md says what is kept and when.
 */
package dev.sailfish.ground.journal;
