-- TOKENIZE and FLATTEN
lines = LOAD '$IN/words' AS (line:chararray);
words = FOREACH lines GENERATE FLATTEN(TOKENIZE(line)) AS word;
grouped = GROUP words BY word PARALLEL 2;
counts = FOREACH grouped GENERATE group, COUNT(words);
STORE counts INTO '$OUT/counts';
