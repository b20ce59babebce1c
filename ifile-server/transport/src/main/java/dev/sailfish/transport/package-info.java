/**
 * The server side of Sailfish's frames: {@link dev.sailfish.transport.FrameServer} accepts
 * connections and turns bytes into {@link dev.sailfish.transport.Request}s for a {@link
 * dev.sailfish.transport.RequestHandler}; {@link dev.sailfish.transport.WebEndpoint} shows health
 * and counters to people. The only package that sees Netty.
 */
package dev.sailfish.transport;
