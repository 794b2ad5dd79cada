import type { AgentConfig } from '../config.ts';
import { describeCollection, disclosureText } from '../privacy/disclosure.ts';
import type { Settings } from '../settings.ts';

type LabelConfig = Pick<AgentConfig, 'site' | 'ownerEmail' | 'sendsLabels'>;

/** The banner of the settings in force. */
export function disclosureOf(settings: Settings, server: string | undefined, config: LabelConfig): string {
  const { intervals } = settings;
  return disclosureText(
    describeCollection({
      collect: settings.collect,
      labels: config,
      sendsLabels: config.sendsLabels,
      ...(server === undefined ? {} : { server }),
      traceTargets: settings.traceTargets,
      sessionTargets: settings.sessionTargets,
      intervalSeconds: {
        wifi: intervals.wifi / 1000,
        gateway: intervals.gateway / 1000,
        path: intervals.path / 1000,
        session: intervals.session / 1000,
      },
      readBack: 'npm run svc-agent -- what-is-sent',
    }),
  );
}
