-- Whether summaries of the tenant's telemetry may be sent to a model that runs elsewhere.
ALTER TABLE governance_policies ADD COLUMN ai_remote_egress boolean NOT NULL DEFAULT false;
