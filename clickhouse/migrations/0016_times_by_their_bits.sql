-- Times and lengths with only the bits that differ in a block: read in a third of the time and written quicker than by Delta and ZSTD, and no
-- larger (docs/adr/0006). A part's times are of one day, 47 bits at most; lengths and observed times may have one that is far off, whose
-- empty bits in the others LZ4 takes out. Parts that are there keep what they have until they are merged.
ALTER TABLE spans MODIFY COLUMN ts DateTime64(9) CODEC(T64), MODIFY COLUMN duration_ns UInt64 CODEC(T64, LZ4);
ALTER TABLE logs MODIFY COLUMN ts DateTime64(9) CODEC(T64), MODIFY COLUMN observed_ts DateTime64(9) CODEC(T64, LZ4);
