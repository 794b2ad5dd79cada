-- Dead enrol tokens are purged by their id, and the directory knew them by their hash only.
CREATE INDEX CONCURRENTLY enrol_token_directory_token ON enrol_token_directory (token_id);
