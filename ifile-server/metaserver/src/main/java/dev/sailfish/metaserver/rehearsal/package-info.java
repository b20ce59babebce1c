/** What a metaserver that has just started does to be fast when the first job comes. */
package dev.sailfish.metaserver.rehearsal;
