import './causes.css';
import type { RootCause } from '@svc/contracts/causes/root-cause';
import type { Permission } from '@svc/contracts/permissions';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { ask } from '../../api.ts';
import { Time } from '../moments/time.tsx';
import { refusalWords } from '../permission/permission-words.ts';
import { useMay } from '../permission/use-may.ts';
import { Ghost } from '../placeholders/empty-state.tsx';
import { describeFailure } from '../placeholders/failure.tsx';
import { AskModel } from './ask-model.tsx';
import { EvidenceList, type ShownPart } from './evidence-list.tsx';
import { OtherCauses } from './other-causes.tsx';

const LEVELS: Readonly<Record<RootCause['level'], string>> = {
  high: 'high',
  medium: 'medium',
  low: 'low',
  none: 'none: no cause is named',
};

/** Why an incident is: the most probable explanation, its evidence, what speaks against it and what nobody measured. */
export function RootCauseCard({ incidentId }: { incidentId: string }) {
  const heading = useId();
  const mayQuery = useMay('ai.query');
  const mayRead = useMay('events.read');
  const missing: Permission | undefined = mayQuery ? (mayRead ? undefined : 'events.read') : 'ai.query';
  const cause = useQuery({
    queryKey: ['causes.get', incidentId],
    queryFn: ({ signal }) => ask('causes.get', { id: incidentId }, signal),
    enabled: missing === undefined,
  });
  return (
    <section className="card" aria-labelledby={heading}>
      <header>
        <h2 id={heading}>Root cause</h2>
        <span className="s mute">from stored evidence, no model asked</span>
      </header>
      {missing ? (
        <p className="body s mute">{refusalWords(missing)}</p>
      ) : cause.data ? (
        <Explained cause={cause.data} incidentId={incidentId} />
      ) : cause.isError ? (
        <p className="body s mute">
          It could not be read. {describeFailure(cause.error).text}{' '}
          <button type="button" className="btn" onClick={() => void cause.refetch()}>
            Try again
          </button>
        </p>
      ) : (
        <p className="body">
          <Ghost width={320} says="Root cause, loading" />
        </p>
      )}
    </section>
  );
}

function Explained({ cause, incidentId }: { cause: RootCause; incidentId: string }) {
  const { hypotheses, evidence, not_measured: notMeasured } = cause;
  const [first, ...others] = hypotheses;
  const byId = new Map(evidence.map((item) => [item.id, item]));
  const partsOf = (effect: 'for' | 'against'): ShownPart[] =>
    (first?.parts ?? []).flatMap((part) => {
      const item = byId.get(part.evidence);
      return part.effect === effect && item ? [{ ...part, item }] : [];
    });
  const [supporting, objecting] = [partsOf('for'), partsOf('against')];
  const cited = new Set([...supporting, ...objecting].map(({ item }) => item.id));
  const rest = evidence.filter(({ id }) => !cited.has(id)).map((item): ShownPart => ({ item, why: '', weight: undefined }));
  return (
    <>
      <div className="body">
        <p className="cause-said">{cause.explanation}</p>
        <p className="s mute" title={cause.computed}>
          Confidence: {LEVELS[cause.level]}
          {cause.level === 'none' ? '' : ` (${cause.confidence.toFixed(2)})`}, {supporting.length} for, {objecting.length}{' '}
          against. <span className="cause-computed">{cause.computed}.</span>
        </p>
      </div>
      <EvidenceList title="Speaks for it" parts={supporting} />
      <EvidenceList title="Speaks against it" parts={objecting} />
      <OtherCauses causes={others} />
      {rest.length > 0 ? (
        <details className="cause-more">
          <summary>Seen besides ({rest.length})</summary>
          <EvidenceList parts={rest} />
        </details>
      ) : null}
      {notMeasured.length > 0 ? (
        <details className="cause-more">
          <summary>Not measured ({notMeasured.length})</summary>
          <ul>
            {notMeasured.map(({ plane, sentence }) => (
              <li key={`${plane}/${sentence}`}>
                <b>{PLANES[plane]}</b>: {sentence}
              </li>
            ))}
          </ul>
        </details>
      ) : null}
      <AskModel incidentId={incidentId} />
      <footer className="foot s mute">
        <span>
          Version {cause.version}, made at <Time at={cause.made_at} />; made again with the next signal.
        </span>
      </footer>
    </>
  );
}

const PLANES: Readonly<Record<RootCause['not_measured'][number]['plane'], string>> = {
  ...{ tests: 'Tests', endpoint: 'Devices', otlp: 'Services', logs: 'Logs', rum: 'Real users', changes: 'Changes' },
};
