-- UNION ONSCHEMA, then DISTINCT
visits = LOAD '$IN/visits' AS (user:chararray, url:chararray, time:long, ms:int, paid:double);
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
a = FOREACH visits GENERATE user;
b = FOREACH users GENERATE user, state;
both = UNION ONSCHEMA a, b;
different = DISTINCT both;
STORE different INTO '$OUT/both';
