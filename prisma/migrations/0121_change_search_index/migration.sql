-- Whoever looks for a text reads these bits in the order of the timeline, and the text itself only where all bits of what is looked for are
-- there: row-level security lets no index of letters be asked.
CREATE INDEX CONCURRENTLY changes_search ON changes (tenant_id, occurred_at, number) INCLUDE (search_1, search_2, search_3, search_4);
