-- Saved views of pages that came after 0069, whose CHECK names its pages and which the release before still writes. Which pages there are is said
-- by contracts alone from here on (docs/console/saved-views.md).
CREATE TABLE page_views (
  tenant_id text NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  owner text NOT NULL,
  page text NOT NULL CHECK (length(page) BETWEEN 1 AND 40),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
  -- The query of the address, without its question mark; only the page knows what it means.
  search text NOT NULL CHECK (length(search) <= 8192),
  shared boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, owner) REFERENCES members (tenant_id, account_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX page_views_own_name ON page_views (tenant_id, owner, page, lower(name));
CREATE UNIQUE INDEX page_views_shared_name ON page_views (tenant_id, page, lower(name)) WHERE shared;

-- The view that a page opens with, of each person.
CREATE TABLE page_view_defaults (
  tenant_id text NOT NULL,
  account_id text NOT NULL,
  page text NOT NULL CHECK (length(page) BETWEEN 1 AND 40),
  view_id uuid NOT NULL,
  PRIMARY KEY (tenant_id, account_id, page),
  FOREIGN KEY (tenant_id, account_id) REFERENCES members (tenant_id, account_id) ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, view_id) REFERENCES page_views (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX page_view_defaults_view ON page_view_defaults (tenant_id, view_id);

ALTER TABLE page_views ENABLE ROW LEVEL SECURITY;
ALTER TABLE page_views FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON page_views
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE page_view_defaults ENABLE ROW LEVEL SECURITY;
ALTER TABLE page_view_defaults FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON page_view_defaults
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON page_views, page_view_defaults TO svc_app;
