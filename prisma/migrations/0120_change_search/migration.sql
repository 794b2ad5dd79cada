-- What a text is made of, as 256 bits: each three letters set one (search-bits.ts). Null in rows that nobody wrote since: their text is read.
ALTER TABLE changes ADD COLUMN search_1 bigint, ADD COLUMN search_2 bigint, ADD COLUMN search_3 bigint, ADD COLUMN search_4 bigint;
