-- one input twice
-- unordered
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
again = FOREACH users GENERATE user AS other, age AS years, state AS place;
joined = JOIN users BY (age, state), again BY (years, place);
pairs = FILTER joined BY user < other;
STORE pairs INTO '$OUT/pairs';
