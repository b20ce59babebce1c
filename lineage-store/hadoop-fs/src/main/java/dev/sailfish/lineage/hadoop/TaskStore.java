package dev.sailfish.lineage.hadoop;

import dev.sailfish.lineage.client.StoreClient;
import java.net.URI;
import java.util.List;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;

/**
 * A store as a task of a job sees it.
 *
 * @param client of the task's file system, which owns it
 * @param conf of the file system
 * @param identity equal for file systems of the same store and user
 * @param names gives the path that a URI names in this store; null for one that names no file of it
 */
public record TaskStore(
    StoreClient client, Configuration conf, List<Object> identity, Function<URI, String> names) {}
