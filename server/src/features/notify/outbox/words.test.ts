import { expect, it } from 'vitest';
import { parseTenantId } from '#kernel';
import type { IncidentNow } from '../context.ts';
import type { ClaimedRow } from './rows.ts';
import { tellCause } from './words.ts';

const NAMES = new Map([
  ['ann', 'Ann'],
  ['connector/c1', 'PagerDuty (Network on call)'],
  ['provider/ticket_b', 'Jira'],
]);
const cause = 'It answers 502, wanted 200.';
const incident = { title: 'Shop home fails', severity: 'critical', cause, signalCount: 3, openSignalCount: 1 } as IncidentNow;

/** What a person reads at three in the morning. */
it.each([
  ['opened', 'system', 'Shop home fails', cause],
  ['reopened', 'system', 'the same failing again', `Opened again automatically: the same failing again. ${cause}`],
  ['acknowledged', 'ann', '', 'Acknowledged by Ann.'],
  ['acknowledged', 'connector/c1', 'by Ada', 'Acknowledged at PagerDuty (Network on call) by Ada.'],
  ['resolved', 'provider/ticket_b', '', 'Resolved at Jira.'],
  ['resolved', 'provider/ticket_b', 'by Ada', 'Resolved at Jira by Ada.'],
  ['resolved', 'system', 'nothing failed for 15 minutes', 'Resolved automatically: nothing failed for 15 minutes.'],
  ['resolved', 'gone', '', 'Resolved by a former member.'],
  ['merged', 'ann', 'into 97', 'Merged into incident 97 by Ann.'],
  ['merged', 'ann', 'from 94', 'Incident 94 was merged into this one by Ann.'],
  ['signal_joined', 'system', 'same target', 'A further signal joined: 3 signals, 1 failing.'],
])('%s by %s (%s) reads: %s', async (...[because, actor, detail, expected]) => {
  const row = { cause: because, actor, detail } as ClaimedRow;
  expect(await tellCause({ nameActors: async () => NAMES }, parseTenantId('t'), { row, incident })).toBe(expected);
});
