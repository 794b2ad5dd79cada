import type { Hypothesis } from '@svc/contracts/causes/root-cause';

const KINDS: Readonly<Record<Hypothesis['kind'], string>> = {
  ...{ change: 'Change', dependency: 'Dependency', network: 'Network', capacity: 'Capacity', certificate: 'Certificate' },
  ...{ dns: 'DNS', client: 'Client side', unknown: 'Unknown' },
};

/** What else it may be, the most probable first. */
export function OtherCauses({ causes }: { causes: readonly Hypothesis[] }) {
  if (causes.length === 0) return null;
  return (
    <div className="cause-list">
      <h3>Less likely</h3>
      <ul>
        {causes.map(({ kind, subject, sentence, score }) => (
          <li key={`${kind}/${subject}`}>
            <span className="cause-kind">{KINDS[kind]}</span>
            <span>{sentence}</span>
            <span className="cause-weight mute">{score.toFixed(2)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
