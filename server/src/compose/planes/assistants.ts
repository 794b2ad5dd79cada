import { createMcp } from '../../features/mcp/index.ts';
import { VERSION } from '../../process/build-info.ts';
import type { Platform } from '../platform.ts';
import type { Audit, Governance } from '../threads.ts';

interface McpThreads {
  audit: Pick<Audit, 'appendAudit'>;
  governance: Pick<Governance, 'mayLeave' | 'whileConsented' | 'mask'>;
}

export const composeMcp = ({ config, stores, log }: Platform, { audit, governance }: McpThreads) =>
  createMcp({
    relational: stores.relational,
    appendAudit: audit.appendAudit,
    mayLeave: governance.mayLeave,
    whileConsented: governance.whileConsented,
    mask: governance.mask,
    sealer: stores.sealer,
    publicUrl: config.publicUrl,
    version: VERSION,
    log,
  });
