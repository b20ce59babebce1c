/**
 * What keeps a daemon honest: an Error on any of its threads ends it, and what is wrong around it
 * is said for as long as it lasts.
 */
package dev.sailfish.ground.server.guard;
