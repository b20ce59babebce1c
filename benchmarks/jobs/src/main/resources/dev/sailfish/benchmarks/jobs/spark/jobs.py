"""One Spark application of a benchmark: counts lines or words of files of any file systems.

    spark-submit jobs.py count --works lines,words --times 3 --warm-up URI [--cache LEVEL | --fill URI] URI...
    spark-submit jobs.py copy FROM TO        # all files of a directory, in place of what was there

The last line that it prints is JSON:

    {"fill_s": 1.5, "lines": {"gc_s": 0.1, "seconds": [2.1, 2.0, 2.0], "found": "1000"}, "words": ...}
"""

import argparse
import json
import time

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

WARM_UPS = 3


class Files:
    """Hadoop's view of files."""

    def __init__(self, spark):
        self.jvm = spark.sparkContext._jvm
        self.configuration = spark.sparkContext._jsc.hadoopConfiguration()

    def _of(self, uri):
        path = self.jvm.org.apache.hadoop.fs.Path(uri)
        return path.getFileSystem(self.configuration), path

    def copy(self, source, target):
        from_system, from_path = self._of(source)
        to_system, to_path = self._of(target)
        to_system.delete(to_path, True)
        copied = self.jvm.org.apache.hadoop.fs.FileUtil.copy(
            from_system, from_path, to_system, to_path, False, self.configuration
        )
        if not copied:
            raise IOError("cannot copy %s to %s" % (source, target))


def garbage_s(spark):
    """Seconds that the JVM has spent on collecting garbage so far."""
    beans = spark.sparkContext._jvm.java.lang.management.ManagementFactory.getGarbageCollectorMXBeans()
    return sum(bean.getCollectionTime() for bean in beans) / 1000


def lines_of(text):
    return str(text.count())


def words_of(text):
    words = text.select(F.explode(F.split("value", " ")).alias("word")).groupBy("word").count()
    row = words.agg(F.count("*").alias("distinct"), F.sum("count").alias("all")).first()
    return "%d/%d" % (row["all"], row["distinct"])


WORKS = {"lines": lines_of, "words": words_of}


def cached_by_spark(spark, level, uris):
    """Lines that the application's own cache keeps, as objects of the JVM or however the level has them."""
    context = spark.sparkContext
    lines = context._jsc.textFile(",".join(uris))
    lines.persist(getattr(context._jvm.org.apache.spark.storage.StorageLevel, level)())
    lines.count()
    encoder = context._jvm.org.apache.spark.sql.Encoders.STRING()
    return DataFrame(spark._jsparkSession.createDataset(lines.rdd(), encoder).toDF(), spark)


def filled(spark, options):
    """The text as it is once somebody keeps it; None: nobody does, and each job opens the files again."""
    if options.fill:
        Files(spark).copy(options.uris[0], options.fill)
        return spark.read.text(options.fill)
    if options.cache:
        return cached_by_spark(spark, options.cache, options.uris)
    return None


def measured(spark, work, times, text):
    garbage = garbage_s(spark)
    seconds = []
    found = set()
    for _ in range(times):
        start = time.monotonic()
        found.add(work(text()))
        seconds.append(round(time.monotonic() - start, 3))
    gc_s = round((garbage_s(spark) - garbage) / times, 3)
    return {"gc_s": gc_s, "seconds": seconds, "found": " ".join(sorted(found))}


def count(spark, options):
    works = options.works.split(",")
    for _ in range(WARM_UPS):
        for work in works:
            WORKS[work](spark.read.text(options.warm_up))
    start = time.monotonic()
    kept = filled(spark, options)
    result = {"fill_s": round(time.monotonic() - start, 3)}
    for work in works:
        result[work] = measured(
            spark, WORKS[work], options.times, lambda: spark.read.text(options.uris) if kept is None else kept
        )
    return result


def arguments():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    counting = commands.add_parser("count")
    counting.add_argument("--works", required=True, help="out of lines and words, with commas between")
    counting.add_argument("--times", type=int, default=1)
    counting.add_argument("--warm-up", required=True, help="a small file that is counted before")
    counting.add_argument("--cache", help="a storage level, by which Spark keeps the lines of the files")
    counting.add_argument("--fill", help="a directory to which the files are copied, in place of what was there, and where they are counted")
    counting.add_argument("uris", nargs="+")
    copying = commands.add_parser("copy")
    copying.add_argument("source")
    copying.add_argument("target")
    return parser.parse_args()


def main():
    options = arguments()
    spark = SparkSession.builder.appName("sailfish-bench").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    result = {}
    if options.command == "count":
        result = count(spark, options)
    else:
        start = time.monotonic()
        Files(spark).copy(options.source, options.target)
        result = {"seconds": [round(time.monotonic() - start, 3)]}
    spark.stop()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
