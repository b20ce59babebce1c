/**
 * The I-file servers' part of the protocol: their operations ({@link
 * dev.sailfish.protocol.IfileService}) and, in {@code client}, typed clients for tasks and tools.
 */
package dev.sailfish.protocol;
