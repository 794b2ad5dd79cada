-- What a device says of the person before it: whether anything shows what is measured, which permissions its system withholds, and how
-- far the disclosure got. Null: an agent that does not say.
ALTER TABLE agents ADD COLUMN face text, ADD COLUMN missing_permissions text[], ADD COLUMN disclosure text;
ALTER TABLE endpoint_summary ADD COLUMN face text, ADD COLUMN missing_permissions text[], ADD COLUMN disclosure text;
