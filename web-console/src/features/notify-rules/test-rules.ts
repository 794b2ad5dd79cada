import type { Rule, RulePreview } from '@svc/contracts/notify/rule';

let made = 0;

/** Of warnings and what is graver, for all connectors, at once. */
export const ruleOf = (name: string, more: Partial<Rule> = {}): Rule => {
  made += 1;
  return {
    ...{ id: `01990000-0000-7000-8000-${String(made).padStart(12, '0')}`, name, enabled: true, severity: 'warning' },
    ...{
      severity_most: 'critical',
      planes: [],
      targets: [],
      sites: [],
      schedule: null,
      delay_seconds: 0,
      quiet: null,
      connectors: [],
    },
    ...{ created_at: '2026-11-20T09:00:00.000Z', created_by: { id: 'ana', name: 'Ana' }, changed_at: '2026-11-20T09:00:00.000Z' },
    ...more,
  };
};

const incident = (number: number, more: Partial<RulePreview['incidents'][number]>): RulePreview['incidents'][number] => ({
  ...{ id: `01990000-0000-7000-9000-${String(number).padStart(12, '0')}`, number, title: `Incident number ${number}` },
  ...{ severity: 'warning', opened_at: '2026-11-24T13:00:00.000Z', matches: false, told_at: null, recovered_before: false },
  acknowledged_before: false,
  ...more,
});

/** One that is sent, one that is over before, one that is acknowledged before, one that the rule is not about. */
export const PREVIEW: RulePreview = {
  looked_at: 4,
  matched: 1,
  incidents: [
    incident(94, { severity: 'critical', matches: true, told_at: '2026-11-24T13:05:00.000Z' }),
    incident(93, { matches: true, recovered_before: true }),
    incident(92, {}),
    incident(91, { matches: true, acknowledged_before: true }),
  ],
};
