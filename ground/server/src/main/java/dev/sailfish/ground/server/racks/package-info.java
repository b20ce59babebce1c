/** In which rack a host is: from the configuration, a file or a script. */
package dev.sailfish.ground.server.racks;
