-- INSERT into four buckets
-- unordered
CREATE TABLE four (visitor STRING, url STRING, ms INT) CLUSTERED BY (visitor) SORTED BY (url, ms) INTO 4 BUCKETS STORED AS ORC;
INSERT INTO four SELECT visitor, url, ms FROM visits;
SELECT regexp_extract(INPUT__FILE__NAME, '[^/]*$', 0), visitor, url, ms FROM four;
DROP TABLE four;
