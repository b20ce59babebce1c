-- INSERT into one partition
-- unordered
CREATE TABLE parts (visitor STRING, n BIGINT) PARTITIONED BY (day STRING);
INSERT OVERWRITE TABLE parts PARTITION (day='monday') SELECT visitor, count(*) FROM visits GROUP BY visitor;
SELECT * FROM parts;
DROP TABLE parts;
