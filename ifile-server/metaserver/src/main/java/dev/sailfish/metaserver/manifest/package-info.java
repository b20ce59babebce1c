/** What map attempts wrote, packed into memory outside of the heap, and what that may take. */
package dev.sailfish.metaserver.manifest;
