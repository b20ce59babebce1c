/**
 * Checkpoints: files that memory alone has are copied to the under store in the background, in the
 * order that {@code lineage-store/edge} says (section 4 of the Edge report).
 *
 * <pre>
 *   graph of dependencies ──▶ PolicyFeed ──▶ CheckpointPolicy
 *                                                  │ next
 *   UnrecordedFiles, files that are asked for ──▶ Checkpoints ──▶ CheckpointPlace   whether, and by whom
 *                                                  │  ▲
 *                                                  ▼  │
 *                                                Turns       what each worker has in hand
 *                                                Setbacks    what failed, and when it is tried again
 * </pre>
 *
 * <p>The leader alone keeps it. A master that begins to lead is told all records bit by bit, and
 * asks each worker what it has in hand before it orders anything. Everything is for the thread that
 * holds the state.
 */
package dev.sailfish.lineage.master.checkpoint;
