/**
 * The connections of a port: {@link dev.sailfish.ground.server.frame.FrameServer} accepts them, has
 * each caller prove who it is, and turns bytes into requests and answers into bytes.
 */
package dev.sailfish.ground.server.frame;
