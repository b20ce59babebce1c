"""Reads and writes files in all the ways that Spark has, below a directory of any file system.

    spark-submit files.py URI-OF-A-DIRECTORY FILE [URI-OF-ANOTHER FILE]...

FILE gets a line for each of the programs below: its name, and as JSON what it read and which files there are.
Nothing in here knows which file system that is, and what the lines say does not depend on it.
"""

import json
import re
import sys
import uuid

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

ROWS = 1000
UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
PROGRAMS = []


def program(function):
    PROGRAMS.append(function)
    return function


class Place:
    """The directory of one program."""

    def __init__(self, spark, base, name):
        self.spark = spark
        self.context = spark.sparkContext
        self.root = base + "/" + name

    def __call__(self, path):
        return self.root + "/" + path

    def path(self, path):
        return self.context._jvm.org.apache.hadoop.fs.Path(self(path))

    def files(self, path):
        """Names and lengths of all files below, without what Spark draws at random, in order."""
        start = self.path(path)
        system = start.getFileSystem(self.context._jsc.hadoopConfiguration())
        found = system.listFiles(start, True)
        names = []
        while found.hasNext():
            status = found.next()
            name = str(status.getPath()).split("/" + path.split("/")[-1] + "/", 1)[1]
            if not name.endswith(".crc"):  # which only some file systems have
                names.append([UUID.sub("UUID", name), status.getLen()])
        return sorted(names)

    def directories(self, path):
        start = self.path(path)
        system = start.getFileSystem(self.context._jsc.hadoopConfiguration())
        return sorted(status.getPath().getName() for status in system.listStatus(start) if status.isDirectory())

    def exists(self, path):
        where = self.path(path)
        return where.getFileSystem(self.context._jsc.hadoopConfiguration()).exists(where)

    def put(self, path, data):
        """Writes a file through the file system alone."""
        where = self.path(path)
        stream = where.getFileSystem(self.context._jsc.hadoopConfiguration()).create(where, False)
        stream.write(bytearray(data))
        stream.close()


def table(spark, rows=ROWS, start=0):
    return spark.range(start, start + rows, 1, 2).select(
        "id",
        (F.col("id") % 7).cast("int").alias("day"),
        F.concat(F.lit("name "), F.col("id") * 37 % 1009).alias("name"),
        (F.col("id") / 3).alias("part"),
        F.when(F.col("id") % 5 > 0, F.array(F.col("id"), F.col("id") + 1)).alias("pair"),
        F.date_add(F.lit("2020-02-27").cast("date"), (F.col("id") % 4).cast("int")).alias("date"),
    )


def flat(spark, rows=ROWS, start=0):
    return table(spark, rows, start).drop("pair")


def digest(frame):
    """Sums over all rows that come out the same in any order of the rows."""
    hashes = frame.select(F.xxhash64(*sorted(frame.columns)).alias("hash"))
    row = hashes.select(
        F.count("*").alias("rows"), F.sum(F.col("hash") % 1000003).alias("sum"), F.min("hash").alias("min")
    ).first()
    return [sorted(frame.dtypes), row["rows"], row["sum"], row["min"]]


def refused(action):
    """What an action that has to fail says, without places and numbers."""
    try:
        action()
    except PySparkException as e:
        return e.getErrorClass() or type(e).__name__
    except Py4JJavaError as e:
        return e.java_exception.getClass().getSimpleName()
    return "nothing refused"


@program
def text(at):
    lines = at.spark.range(0, ROWS, 1, 3).select(F.concat(F.lit("line "), "id").alias("value"))
    lines.write.text(at("plain"))
    lines.write.option("compression", "gzip").text(at("gzip"))
    lines.coalesce(1).write.option("lineSep", "|").text(at("bars"))
    return [
        digest(at.spark.read.text(at("plain"))),
        digest(at.spark.read.text(at("gzip"))),
        digest(at.spark.read.option("lineSep", "|").text(at("bars"))),
        at.spark.read.text(at("plain"), wholetext=True).count(),
        at.files("plain"),
        at.files("bars"),
    ]


@program
def csv(at):
    flat(at.spark).write.option("header", True).csv(at("csv"))
    read = at.spark.read.option("header", True).option("inferSchema", True).csv(at("csv"))
    strict = at.spark.read.option("header", True).schema(flat(at.spark).schema).csv(at("csv"))
    return [digest(read), digest(strict), at.files("csv")]


@program
def json_lines(at):
    table(at.spark).write.json(at("json"))
    return [digest(at.spark.read.json(at("json"))), at.files("json")]


@program
def parquet(at):
    table(at.spark).write.parquet(at("parquet"))
    read = at.spark.read.parquet(at("parquet"))
    few = read.where("id between 400 and 420").select("name")
    at.spark.conf.set("spark.sql.parquet.enableVectorizedReader", "false")
    slow = digest(at.spark.read.parquet(at("parquet")))
    at.spark.conf.unset("spark.sql.parquet.enableVectorizedReader")
    codecs = {}
    for codec in ("none", "gzip", "zstd"):
        table(at.spark).write.option("compression", codec).parquet(at(codec))
        codecs[codec] = digest(at.spark.read.parquet(at(codec)))
    return [digest(read), digest(few), slow, codecs, at.files("parquet")]


@program
def parquet_of_many_row_groups(at):
    rows = 40 * ROWS
    write = flat(at.spark, rows).coalesce(1).write
    write.option("parquet.block.size", 65536).option("parquet.page.size", 4096).parquet(at("groups"))
    read = at.spark.read.parquet(at("groups"))
    return [digest(read), read.agg(F.max("id")).first()[0], read.where("id = 31234").collect()[0]["name"]]


@program
def orc(at):
    table(at.spark).write.orc(at("orc"))
    return [digest(at.spark.read.orc(at("orc"))), at.files("orc")]


@program
def partitioned(at):
    flat(at.spark).write.partitionBy("day").parquet(at("days"))
    flat(at.spark).write.partitionBy("day", "date").csv(at("deep"))
    read = at.spark.read.parquet(at("days"))
    one = at.spark.read.option("basePath", at("days")).parquet(at("days/day=3"))
    return [
        digest(read),
        digest(read.where("day = 3")),
        digest(one),
        at.directories("days"),
        at.files("days"),
        len(at.files("deep")),
        digest(at.spark.read.csv(at("deep"))),
    ]


@program
def buckets_and_sort(at):
    at.spark.sql("drop table if exists bucketed")
    write = flat(at.spark).write.bucketBy(4, "name").sortBy("id").format("parquet")
    write.option("path", at("bucketed")).saveAsTable("bucketed")
    read = digest(at.spark.table("bucketed"))
    at.spark.sql("drop table bucketed")
    return [read, at.files("bucketed")]


@program
def dynamic_overwrite(at):
    flat(at.spark).write.partitionBy("day").parquet(at("days"))
    newer = flat(at.spark, 50, 5000).withColumn("day", F.lit(3)).union(flat(at.spark, 5, 6000).withColumn("day", F.lit(9)))
    for _ in range(2):
        write = newer.write.mode("overwrite").option("partitionOverwriteMode", "dynamic")
        write.partitionBy("day").parquet(at("days"))
    dynamic = [digest(at.spark.read.parquet(at("days"))), at.directories("days")]
    newer.write.mode("overwrite").partitionBy("day").parquet(at("days"))
    return [dynamic, digest(at.spark.read.parquet(at("days"))), at.directories("days"), at.files("days")]


@program
def tables(at):
    at.spark.sql("drop table if exists visits")
    at.spark.sql("create table visits (id bigint, name string, day int) using parquet partitioned by (day) "
                 "location '%s'" % at("visits"))
    flat(at.spark).select("id", "name", "day").createOrReplaceTempView("rows")
    at.spark.sql("insert into visits select id, name, day from rows")
    at.spark.sql("insert into visits select id + 10000, name, day from rows where day < 2")
    at.spark.sql("insert overwrite visits partition (day = 4) select id, upper(name) from rows where day = 5")
    at.spark.sql("alter table visits drop partition (day = 6)")
    seen = digest(at.spark.table("visits"))
    at.spark.sql("drop table visits")
    return [seen, digest(at.spark.read.parquet(at("visits"))), at.directories("visits")]


@program
def save_modes(at):
    first, second = flat(at.spark, 100), flat(at.spark, 50, 1000)
    first.write.parquet(at("out"))
    error = refused(lambda: second.write.parquet(at("out")))
    second.write.mode("ignore").parquet(at("out"))
    kept = digest(at.spark.read.parquet(at("out")))
    second.write.mode("append").parquet(at("out"))
    appended = digest(at.spark.read.parquet(at("out")))
    second.write.mode("overwrite").parquet(at("out"))
    return [error, kept, appended, digest(at.spark.read.parquet(at("out"))), at.files("out")]


@program
def rdds(at):
    numbers = at.context.parallelize(range(ROWS), 3)
    numbers.map(lambda n: "n %d" % n).saveAsTextFile(at("text"))
    numbers.map(lambda n: "n %d" % n).saveAsTextFile(at("packed"), "org.apache.hadoop.io.compress.GzipCodec")
    numbers.map(lambda n: (n, str(n * n))).saveAsSequenceFile(at("sequence"))
    numbers.saveAsPickleFile(at("pickle"))
    pairs = numbers.map(lambda n: (str(n % 10), n))
    pairs.saveAsNewAPIHadoopFile(
        at("new-api"),
        "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat",
        "org.apache.hadoop.io.Text",
        "org.apache.hadoop.io.IntWritable",
    )
    again = refused(lambda: numbers.saveAsTextFile(at("text")))
    return [
        sorted(at.context.textFile(at("text")).collect())[:5],
        at.context.textFile(at("text"), 7).count(),
        at.context.textFile(at("packed")).map(len).sum(),
        at.context.sequenceFile(at("sequence")).map(lambda pair: pair[0] + int(pair[1])).sum(),
        at.context.pickleFile(at("pickle")).sum(),
        at.context.wholeTextFiles(at("text")).map(lambda pair: len(pair[1])).sum(),
        at.context.binaryFiles(at("text")).map(lambda pair: len(pair[1])).sum(),
        sorted(at.context.textFile(at("new-api")).collect())[:5],
        at.files("text"),
        again,
    ]


@program
def word_count(at):
    lines = at.context.parallelize(range(ROWS), 4).map(lambda n: "a b%d c%d the" % (n % 3, n % 101))
    lines.saveAsTextFile(at("in"))
    words = at.context.textFile(at("in")).flatMap(lambda line: line.split())
    words.map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b, 3).sortByKey().saveAsTextFile(at("out"))
    # Where a range ends depends on samples, and so do the files' lengths.
    return [sorted(at.context.textFile(at("out")).collect()), [name for name, _ in at.files("out")]]


@program
def directories_and_globs(at):
    for year in (2019, 2020):
        for month in (1, 2, 11):
            at.put("logs/%d/m%02d/log.txt" % (year, month), b"%d %d\n" % (year, month) * month)
    at.put("logs/2020/_hidden", b"not seen\n")
    at.put("logs/2020/.hidden", b"not seen\n")
    at.put("logs/2020/a b,c;d+e%20\xc3\xa4.txt".encode("latin-1").decode("utf-8"), b"strange name\n")

    def count(path):
        return at.context.textFile(at(path)).count()

    nested = at.spark.read.option("recursiveFileLookup", True)
    return [
        [count(glob) for glob in ("logs/*/*", "logs/2020/m0*", "logs/20{19,20}/m[01]1", "logs/2019/m01/log.txt")],
        count("logs/2020/m01") + count("logs/2019/*"),
        at.context.textFile(at("logs/2019/m01") + "," + at("logs/2020/m11")).count(),
        nested.text(at("logs")).count(),
        nested.option("pathGlobFilter", "l*.txt").text(at("logs")).count(),
        at.spark.read.text([at("logs/2019/m02"), at("logs/2020/m02")]).count(),
        at.spark.read.format("binaryFile").option("recursiveFileLookup", True).load(at("logs")).agg(F.sum("length")).first()[0],
        refused(lambda: at.spark.read.text(at("logs/2021"))),
        refused(lambda: count("logs/*/none*")),
    ]


def committed(at, name, settings):
    """What one kind of committer leaves of frames and RDDs, with tasks that fail once."""
    hadoop = at.context._jsc.hadoopConfiguration()
    for key, value in settings.items():
        hadoop.set(key, value)
    try:
        flat(at.spark).write.partitionBy("day").parquet(at(name + "/frame"))

        def once(split, items):
            from pyspark import TaskContext

            for number, item in enumerate(items):
                if split == 1 and number == 50 and TaskContext.get().attemptNumber() == 0:
                    raise ValueError("this attempt fails")
                yield "n %d" % item

        at.context.parallelize(range(ROWS), 3).mapPartitionsWithIndex(once).saveAsTextFile(at(name + "/rdd"))
        return [
            digest(at.spark.read.parquet(at(name + "/frame"))),
            at.context.textFile(at(name + "/rdd")).count(),
            at.files(name + "/frame"),
            at.files(name + "/rdd"),
            at.directories(name + "/rdd"),
        ]
    finally:
        for key in settings:
            hadoop.unset(key)


@program
def committers(at):
    version = "mapreduce.fileoutputcommitter.algorithm.version"
    kinds = {
        "default": {},
        "one": {version: "1"},
        "two": {version: "2"},
        "unmarked": {"mapreduce.fileoutputcommitter.marksuccessfuljobs": "false"},
    }
    return {name: committed(at, name, settings) for name, settings in kinds.items()}


@program
def failed_jobs(at):
    def fail(split, items):
        for number, item in enumerate(items):
            if split == 1 and number == 100:
                raise ValueError("this task fails for good")
            yield "n %d" % item

    numbers = at.context.parallelize(range(ROWS), 3)
    said = [refused(lambda: numbers.mapPartitionsWithIndex(fail).saveAsTextFile(at("rdd")))]
    left = at.files("rdd") if at.exists("rdd") else []
    bad = flat(at.spark).withColumn("name", F.when(F.col("id") < 700, F.col("name")).otherwise(
        F.raise_error(F.lit("this row fails"))))
    said.append(refused(lambda: bad.write.parquet(at("frame"))))
    left += at.files("frame") if at.exists("frame") else []
    # What a failed job was to replace partition by partition stays as it is.
    flat(at.spark).write.partitionBy("day").parquet(at("days"))
    before = at.files("days")
    write = bad.write.mode("overwrite").option("partitionOverwriteMode", "dynamic").partitionBy("day")
    said.append(refused(lambda: write.parquet(at("days"))))
    return [[what != "nothing refused" for what in said], left, at.files("days") == before, at.directories("days"),
            digest(at.spark.read.parquet(at("days")))]


@program
def checkpoints(at):
    at.context.setCheckpointDir(at("checkpoints"))
    numbers = at.context.parallelize(range(ROWS), 3).map(lambda n: n * n)
    numbers.checkpoint()
    total = numbers.sum()
    frame = flat(at.spark).checkpoint()
    return [total, numbers.isCheckpointed(), digest(frame), len(at.files("checkpoints")) > 0]


@program
def streams(at):
    schema = flat(at.spark).schema

    def run():
        source = at.spark.readStream.schema(schema).parquet(at("in"))
        query = source.writeStream.option("checkpointLocation", at("state")).format("parquet").trigger(availableNow=True)
        query.start(at("out")).awaitTermination(120)
        counts = source.groupBy("day").count().writeStream.outputMode("complete").format("memory").queryName("counts")
        counts = counts.option("checkpointLocation", at("counts")).trigger(availableNow=True).start()
        counts.awaitTermination(120)
        return at.spark.table("counts").orderBy("day").collect()

    flat(at.spark).write.parquet(at("in"))
    first = run()
    flat(at.spark, 100, 2000).write.mode("append").parquet(at("in"))
    second = run()
    return [first, second, digest(at.spark.read.parquet(at("out"))), at.directories("out")]


@program
def large_rows(at):
    rows = at.context.parallelize([Row(id=i, data=("%d" % i) * 300000) for i in range(12)], 3)
    at.spark.createDataFrame(rows).write.parquet(at("rows"))
    read = at.spark.read.parquet(at("rows"))
    return [read.agg(F.sum(F.length("data"))).first()[0], read.where("id = 7").select(F.md5("data")).first()[0]]


def run(spark, base, results):
    place = "%s/files-%s" % (base.rstrip("/"), uuid.uuid4())
    with open(results, "w", encoding="utf-8") as out:
        for each in PROGRAMS:
            result = each(Place(spark, place, each.__name__))
            out.write("%s %s\n" % (each.__name__, json.dumps(result, default=str)))
            out.flush()
    root = spark.sparkContext._jvm.org.apache.hadoop.fs.Path(place)
    root.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()).delete(root, True)


def main(arguments):
    spark = SparkSession.builder.appName("files").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")  # tasks that fail on purpose would fill pages
    for base, results in zip(arguments[::2], arguments[1::2]):
        run(spark, base, results)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
