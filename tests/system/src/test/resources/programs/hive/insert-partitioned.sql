-- INSERT into one partition
-- unordered
CREATE TABLE days (visitor STRING, n BIGINT) PARTITIONED BY (day STRING);
INSERT OVERWRITE TABLE days PARTITION (day='monday') SELECT visitor, count(*) FROM visits GROUP BY visitor;
SELECT * FROM days;
DROP TABLE days;
