/**
 * The wire that all services share: frames ({@link dev.sailfish.ground.wire.FrameDescriptor}) with
 * a Protocol Buffers header and a raw payload, the operations of a {@link
 * dev.sailfish.ground.wire.Service}, the status codes, and the client's side: {@link
 * dev.sailfish.ground.wire.Connection} is one socket used by one thread, without background threads
 * and without a framework, because whatever runs inside a task is paid once per task. Servers use
 * the same descriptors through {@code ground/server}.
 */
package dev.sailfish.ground.wire;
