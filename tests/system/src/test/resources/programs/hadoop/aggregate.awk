{ for (i = 1; i <= NF; i++) { print "LongValueSum:" $i "\t1"; print "UniqValueCount:length" length($i) "\t" $i } }
