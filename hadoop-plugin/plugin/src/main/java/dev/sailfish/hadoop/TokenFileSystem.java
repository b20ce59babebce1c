package dev.sailfish.hadoop;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.Progressable;

/**
 * {@code sailfish://host:port/}: no files, only delegation tokens of the metaserver at that
 * address. On a cluster with Kerberos every job client asks the file systems in {@code
 * mapreduce.job.hdfs-servers} for a token when a job is submitted, and this is how one of ours gets
 * into the job's credentials. Without Kerberos it gives none, and needs none.
 *
 * <p>Named by {@code fs.sailfish.impl}, and not registered through {@code META-INF/services}: then
 * Hadoop would load it in every JVM that uses a file system, tasks of other shuffles too.
 */
public final class TokenFileSystem extends FileSystem {
  static final String SCHEME = "sailfish";
  static final int PORT = 19850;

  private URI uri;

  @Override
  public String getScheme() {
    return SCHEME;
  }

  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    super.initialize(name, conf);
    if (name.getHost() == null) {
      throw new IOException(
          name + " names no metaserver: write " + SCHEME + "://host:port/ in " + setting());
    }
    int port = name.getPort() < 0 ? PORT : name.getPort();
    uri = URI.create(SCHEME + "://" + name.getHost() + ":" + port);
  }

  private static String setting() {
    return MRJobConfig.JOB_NAMENODES;
  }

  @Override
  public URI getUri() {
    return uri;
  }

  @Override
  protected int getDefaultPort() {
    return PORT;
  }

  /** The metaserver's address, by which tasks find the token; null: no token is needed. */
  @Override
  public String getCanonicalServiceName() {
    return UserGroupInformation.isSecurityEnabled() ? uri.getAuthority() : null;
  }

  /**
   * Asks the metaserver for a token of the current user. Waits for KDC and metaserver.
   *
   * @param renewer is only kept in the token: there is nothing to renew
   * @return null when there is no Kerberos
   * @throws IOException when the user has no ticket, or no metaserver gives a token
   */
  @Override
  public Token<?> getDelegationToken(String renewer) throws IOException {
    return UserGroupInformation.isSecurityEnabled()
        ? new TokenClient(getConf(), uri.getAuthority()).ask(renewer)
        : null;
  }

  private IOException noFiles() {
    return new IOException(
        uri
            + " holds no files: it only gives the delegation tokens with which jobs are admitted, and"
            + " is named in "
            + setting());
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    throw noFiles();
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    throw noFiles();
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress)
      throws IOException {
    throw noFiles();
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    throw noFiles();
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    throw noFiles();
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    throw noFiles();
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    throw noFiles();
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    throw noFiles();
  }

  /** Is not kept: there is only the root. */
  @Override
  public void setWorkingDirectory(Path path) {}

  @Override
  public Path getWorkingDirectory() {
    return new Path(uri + "/");
  }
}
