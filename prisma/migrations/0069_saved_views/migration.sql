-- Saved views: a name for what the address of a table asks for. They go with the membership of their owner.
CREATE TABLE saved_views (
  tenant_id text NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  owner text NOT NULL,
  page text NOT NULL CHECK (page IN ('fleet', 'traces', 'logs')),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
  -- The query of the address, without its question mark; only the page knows what it means.
  search text NOT NULL CHECK (length(search) <= 8192),
  shared boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, owner) REFERENCES members (tenant_id, account_id) ON DELETE CASCADE
);
-- One name each among a person's own views of a page, and among those that the tenant shares.
CREATE UNIQUE INDEX saved_views_own_name ON saved_views (tenant_id, owner, page, lower(name));
CREATE UNIQUE INDEX saved_views_shared_name ON saved_views (tenant_id, page, lower(name)) WHERE shared;

-- The view that a page opens with, of each person.
CREATE TABLE saved_view_defaults (
  tenant_id text NOT NULL,
  account_id text NOT NULL,
  page text NOT NULL CHECK (page IN ('fleet', 'traces', 'logs')),
  view_id uuid NOT NULL,
  PRIMARY KEY (tenant_id, account_id, page),
  FOREIGN KEY (tenant_id, account_id) REFERENCES members (tenant_id, account_id) ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, view_id) REFERENCES saved_views (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX saved_view_defaults_view ON saved_view_defaults (tenant_id, view_id);

ALTER TABLE saved_views ENABLE ROW LEVEL SECURITY;
ALTER TABLE saved_views FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON saved_views
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE saved_view_defaults ENABLE ROW LEVEL SECURITY;
ALTER TABLE saved_view_defaults FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON saved_view_defaults
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON saved_views, saved_view_defaults TO svc_app;
