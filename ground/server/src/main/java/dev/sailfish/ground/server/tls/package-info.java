/** TLS beneath what speaks on a connection, frames or HTTP. */
package dev.sailfish.ground.server.tls;
