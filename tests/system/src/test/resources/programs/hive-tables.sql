-- tables of queries; {IN} is the directory with their files
CREATE EXTERNAL TABLE visits (visitor STRING, url STRING, moment BIGINT, ms INT, paid DOUBLE)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' NULL DEFINED AS '' LOCATION '{IN}/visits';
CREATE EXTERNAL TABLE pages (url STRING, category STRING, grade INT)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' NULL DEFINED AS '' LOCATION '{IN}/pages';
CREATE EXTERNAL TABLE users (visitor STRING, age INT, state STRING)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' NULL DEFINED AS '' LOCATION '{IN}/users';
CREATE EXTERNAL TABLE states (state STRING, name STRING)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '\t' NULL DEFINED AS '' LOCATION '{IN}/states';
CREATE TABLE visits_orc STORED AS ORC AS SELECT * FROM visits;
CREATE TABLE visits_parquet STORED AS PARQUET AS SELECT * FROM visits;
CREATE TABLE visits_buckets (visitor STRING, url STRING, moment BIGINT, ms INT, paid DOUBLE)
CLUSTERED BY (visitor) SORTED BY (visitor) INTO 3 BUCKETS;
INSERT INTO visits_buckets SELECT * FROM visits;
CREATE TABLE users_buckets (visitor STRING, age INT, state STRING)
CLUSTERED BY (visitor) SORTED BY (visitor) INTO 3 BUCKETS;
INSERT INTO users_buckets SELECT * FROM users;
CREATE DATABASE tpch;
USE tpch;
CREATE EXTERNAL TABLE region (r_regionkey BIGINT, r_name STRING, r_comment STRING)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '|' LOCATION '{IN}/tpch/region';
CREATE EXTERNAL TABLE nation (n_nationkey BIGINT, n_name STRING, n_regionkey BIGINT, n_comment STRING)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '|' LOCATION '{IN}/tpch/nation';
CREATE EXTERNAL TABLE supplier (s_suppkey BIGINT, s_name STRING, s_address STRING, s_nationkey BIGINT, s_phone STRING,
  s_acctbal DECIMAL(15, 2), s_comment STRING)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '|' LOCATION '{IN}/tpch/supplier';
CREATE EXTERNAL TABLE customer (c_custkey BIGINT, c_name STRING, c_address STRING, c_nationkey BIGINT, c_phone STRING,
  c_acctbal DECIMAL(15, 2), c_mktsegment STRING, c_comment STRING)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '|' LOCATION '{IN}/tpch/customer';
CREATE EXTERNAL TABLE part (p_partkey BIGINT, p_name STRING, p_mfgr STRING, p_brand STRING, p_type STRING, p_size INT,
  p_container STRING, p_retailprice DECIMAL(15, 2), p_comment STRING)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '|' LOCATION '{IN}/tpch/part';
CREATE EXTERNAL TABLE partsupp (ps_partkey BIGINT, ps_suppkey BIGINT, ps_availqty INT, ps_supplycost DECIMAL(15, 2),
  ps_comment STRING)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '|' LOCATION '{IN}/tpch/partsupp';
CREATE EXTERNAL TABLE orders (o_orderkey BIGINT, o_custkey BIGINT, o_orderstatus STRING, o_totalprice DECIMAL(15, 2),
  o_orderdate DATE, o_orderpriority STRING, o_clerk STRING, o_shippriority INT, o_comment STRING)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '|' LOCATION '{IN}/tpch/orders';
CREATE EXTERNAL TABLE lineitem (l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber INT,
  l_quantity DECIMAL(15, 2), l_extendedprice DECIMAL(15, 2), l_discount DECIMAL(15, 2), l_tax DECIMAL(15, 2),
  l_returnflag STRING, l_linestatus STRING, l_shipdate DATE, l_commitdate DATE, l_receiptdate DATE,
  l_shipinstruct STRING, l_shipmode STRING, l_comment STRING)
ROW FORMAT DELIMITED FIELDS TERMINATED BY '|' LOCATION '{IN}/tpch/lineitem';
