-- An access link for one account sets that account's password and gives no roles: the way back for somebody who lost it.
ALTER TABLE access_links ADD COLUMN account_id text;
