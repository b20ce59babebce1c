/** What a chunkserver that has just started does to be fast when the first job comes. */
package dev.sailfish.chunkserver.rehearsal;
