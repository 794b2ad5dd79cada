import { systemClock } from '#kernel';
import { createSavedViews } from '../features/saved-views/index.ts';
import type { Platform } from './platform.ts';
import type { Audit } from './threads.ts';

export const composeSavedViews = ({ stores }: Platform, { audit }: { audit: Pick<Audit, 'appendAudit'> }) =>
  createSavedViews({ relational: stores.relational, appendAudit: audit.appendAudit, clock: systemClock });
