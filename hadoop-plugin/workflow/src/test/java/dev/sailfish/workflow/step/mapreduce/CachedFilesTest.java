package dev.sailfish.workflow.step.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sailfish.hadoop.lineage.wire.CacheFile;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;

class CachedFilesTest {
  private final Configuration recorded = new Configuration(false);
  private final Configuration job = new Configuration(false);

  private static FileStatus staged(String path, long length) {
    return new FileStatus(length, false, 1, 1, 77, new Path("hdfs://h/s/" + path));
  }

  private static CacheFile file(String uri, String program, String entry) {
    return CacheFile.newBuilder().setUri(uri).setProgram(program).setEntry(entry).build();
  }

  @Test
  void filesAreWhereTheyWereStagedWithTheirLinks() {
    CachedFiles cached = new CachedFiles(recorded);
    CacheFile plain = file("hdfs://h/old/dict.txt", "p", "");
    CacheFile linked = file("hdfs://h/old/conf.xml#my.xml", "q", "");
    assertThat(CachedFiles.name(plain)).isEqualTo("dict.txt");
    assertThat(CachedFiles.name(linked)).isEqualTo("conf.xml");
    cached.add(plain, staged("0/dict.txt", 5));
    cached.add(linked, staged("1/conf.xml", 6));
    cached.apply(job);
    assertThat(job.getStrings(MRJobConfig.CACHE_FILES))
        .containsExactly("hdfs://h/s/0/dict.txt#dict.txt", "hdfs://h/s/1/conf.xml#my.xml");
    assertThat(job.getStrings(MRJobConfig.CACHE_FILE_TIMESTAMPS)).containsExactly("77", "77");
    assertThat(job.getStrings(MRJobConfig.CACHE_FILES_SIZES)).containsExactly("5", "6");
    assertThat(job.getStrings(MRJobConfig.CACHE_FILE_VISIBILITIES))
        .containsExactly("false", "false");
    assertThat(job.get(MRJobConfig.CACHE_ARCHIVES)).isNull();
  }

  @Test
  void aDirectoryOfLibrariesIsEachOfThem() {
    recorded.set(MRJobConfig.CLASSPATH_FILES, "hdfs://h/old/libjars/*,/gone.jar");
    CachedFiles cached = new CachedFiles(recorded);
    CacheFile first = file("hdfs://h/old/libjars/*", "p", "a.jar");
    assertThat(CachedFiles.name(first)).isEqualTo("a.jar");
    cached.add(first, staged("0/a.jar", 5));
    cached.add(file("hdfs://h/old/libjars/*", "q", "b.jar"), staged("1/b.jar", 5));
    cached.apply(job);
    assertThat(job.getStrings(MRJobConfig.CACHE_FILES))
        .containsExactly("hdfs://h/s/0/a.jar#a.jar", "hdfs://h/s/1/b.jar#b.jar");
    assertThat(job.getStrings(MRJobConfig.CLASSPATH_FILES))
        .containsExactly("hdfs://h/s/0/a.jar", "hdfs://h/s/1/b.jar");
  }

  @Test
  void hadoopsOwnArchiveStaysWhereItIs() {
    String uri = "hdfs://h/hadoop.tar.gz#mr";
    recorded.set(MRJobConfig.CACHE_ARCHIVES, "hdfs://h/x.zip," + uri);
    recorded.set(MRJobConfig.CACHE_ARCHIVES_TIMESTAMPS, "1,2");
    recorded.set(MRJobConfig.CACHE_ARCHIVES_SIZES, "3,4");
    recorded.set(MRJobConfig.CACHE_ARCHIVES_VISIBILITIES, "false,true");
    CachedFiles cached = new CachedFiles(recorded);
    cached.keep(CacheFile.newBuilder().setUri(uri).setArchive(true).build());
    cached.apply(job);
    assertThat(job.get(MRJobConfig.CACHE_ARCHIVES)).isEqualTo(uri);
    assertThat(job.get(MRJobConfig.CACHE_ARCHIVES_TIMESTAMPS)).isEqualTo("2");
    assertThat(job.get(MRJobConfig.CACHE_ARCHIVES_SIZES)).isEqualTo("4");
    assertThat(job.get(MRJobConfig.CACHE_ARCHIVES_VISIBILITIES)).isEqualTo("true");
  }
}
