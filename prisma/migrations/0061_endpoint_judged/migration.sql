-- What the newest verdict of a device was judged by, as the device sent it: measures with limits and counts. Null: an agent that does not say.
ALTER TABLE endpoint_summary ADD COLUMN judged text;
