-- dynamic partitions, sorted by partition in the shuffle
-- unordered
SET hive.exec.dynamic.partition.mode=nonstrict;
SET hive.optimize.sort.dynamic.partition.threshold=1;
CREATE TABLE parts (url STRING, grade INT) PARTITIONED BY (category STRING) STORED AS PARQUET;
INSERT INTO parts PARTITION (category) SELECT url, grade, category FROM pages WHERE category IS NOT NULL;
SELECT * FROM parts;
SHOW PARTITIONS parts;
DROP TABLE parts;
