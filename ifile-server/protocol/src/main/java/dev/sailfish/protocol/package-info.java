/**
 * The wire protocol: frames ({@link dev.sailfish.protocol.FrameDescriptor}) with a Protocol Buffers
 * header and a raw payload, the operations ({@link dev.sailfish.protocol.Operation}), the status
 * codes, and in {@code client} a small blocking client for tasks. Servers use the same descriptors
 * through the transport module.
 */
package dev.sailfish.protocol;
