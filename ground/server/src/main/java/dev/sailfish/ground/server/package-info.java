/**
 * The server side of Sailfish's frames: {@link dev.sailfish.ground.server.FrameServer} accepts
 * connections and turns bytes into {@link dev.sailfish.ground.server.Request}s for a {@link
 * dev.sailfish.ground.server.RequestHandler}; {@link dev.sailfish.ground.server.WebEndpoint} shows
 * health and counters to people. The only package that sees Netty.
 */
package dev.sailfish.ground.server;
