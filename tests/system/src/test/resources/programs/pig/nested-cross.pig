-- nested CROSS of two bags
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
states = LOAD '$IN/states' AS (state:chararray, name:chararray);
together = COGROUP users BY state INNER, states BY state INNER PARALLEL 2;
result = FOREACH together {
    young = FILTER users BY age < 30;
    pairs = CROSS young, states;
    GENERATE group, COUNT(pairs), MAX(pairs.age);
}
STORE result INTO '$OUT/pairs';
