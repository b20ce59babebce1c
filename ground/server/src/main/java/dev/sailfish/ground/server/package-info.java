/**
 * What a service is made of: it gets {@link dev.sailfish.ground.server.Request}s from {@link
 * dev.sailfish.ground.server.Principal}s, whom its {@link dev.sailfish.ground.server.Authenticator}
 * knows, and its {@link dev.sailfish.ground.server.Routes} say what is done with them. Connections,
 * metrics, web pages and the process are in the packages below. The only ones that see Netty.
 */
package dev.sailfish.ground.server;
