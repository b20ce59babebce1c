package dev.sailfish.workflow.step.mapreduce;

import dev.sailfish.hadoop.lineage.wire.Recipe;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.CryptoUtils;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.security.Credentials;

/** What a job's tasks prove who they are with, as Hadoop's client makes it. */
final class JobCredentials {
  private static final int SHUFFLE_KEY_BYTES = 20;

  private JobCredentials() {}

  /**
   * Tokens of the file systems that the job reads and writes, and new secrets of its tasks. As the
   * job's owner.
   */
  static Credentials of(Configuration job, Recipe recipe, Path staging) throws IOException {
    Map<String, Path> roots = new LinkedHashMap<>();
    add(roots, staging);
    recipe.getInputsList().forEach(input -> add(roots, new Path(input.getPath())));
    for (String named : job.getTrimmedStrings(MRJobConfig.JOB_NAMENODES)) {
      add(roots, new Path(named));
    }
    String output = job.get(FileOutputFormat.OUTDIR);
    if (output != null) {
      add(roots, new Path(output));
    }
    Credentials credentials = new Credentials();
    TokenCache.obtainTokensForNamenodes(credentials, roots.values().toArray(new Path[0]), job);
    byte[] key = new byte[SHUFFLE_KEY_BYTES];
    new SecureRandom().nextBytes(key);
    TokenCache.setShuffleSecretKey(key, credentials);
    if (CryptoUtils.isEncryptedSpillEnabled(job)) {
      job.setInt(MRJobConfig.MR_AM_MAX_ATTEMPTS, 1); // as Hadoop's client does: the AM has the key
    }
    return credentials;
  }

  /** One path for each file system. */
  private static void add(Map<String, Path> roots, Path path) {
    roots.putIfAbsent(path.toUri().getScheme() + "://" + path.toUri().getAuthority(), path);
  }
}
