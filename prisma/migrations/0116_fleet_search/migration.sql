-- Name, owner and site without accents where they have any, folded when they are written: to fold those of 10,000 devices took most of a
-- search. Null where there is nothing to fold, and in rows that nobody wrote since: search-sql.ts folds those when it reads them.
ALTER TABLE endpoint_summary ADD COLUMN search_folded text;

CREATE FUNCTION endpoint_fold_names() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  names text := lower(coalesce(NEW.name, '') || E'\n' || coalesce(NEW.owner, '') || E'\n' || coalesce(NEW.site, '') || E'\n');
BEGIN
  NEW.search_folded := CASE WHEN octet_length(names) > length(names) THEN
    regexp_replace(normalize(translate(replace(replace(replace(names, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'),
      'łøđðħŧı', 'loddhti'), NFD), '[\u0300-\u036f]', '', 'g') END;
  RETURN NEW;
END $$;

CREATE TRIGGER endpoint_fold_names BEFORE INSERT OR UPDATE OF name, owner, site ON endpoint_summary
  FOR EACH ROW EXECUTE FUNCTION endpoint_fold_names();
