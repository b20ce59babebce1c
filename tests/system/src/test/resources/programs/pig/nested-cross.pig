-- nested CROSS of two bags
users = LOAD '$IN/users' AS (user:chararray, age:int, state:chararray);
states = LOAD '$IN/states' AS (state:chararray, name:chararray);
together = COGROUP users BY state INNER, states BY state INNER;
result = FOREACH together {
    young = FILTER users BY age < 30;
    pairs = CROSS young, states;
    ordered = ORDER pairs BY user;
    GENERATE group, COUNT(ordered);
}
STORE result INTO '$OUT/pairs';
