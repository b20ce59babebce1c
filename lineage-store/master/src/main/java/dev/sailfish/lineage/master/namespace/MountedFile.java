package dev.sailfish.lineage.master.namespace;

import dev.sailfish.lineage.understore.mount.MountedPath;

/**
 * A file under a mount.
 *
 * @param path where it is in the store
 * @param under where it is below
 * @param below what is there; null for nothing
 */
public record MountedFile(FileInfo info, String path, MountedPath under, Below below) {}
