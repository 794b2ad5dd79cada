import type { Connector, ProviderForm } from '@svc/contracts/notify/connector';
import { Time } from '../../ui/moments/time.tsx';
import { ConnectorActs } from './connector-acts.tsx';
import { conditionOf, ownLabelOf, promisesOf } from './connector-words.ts';
import { TestPart } from './trial.tsx';
import { useForms } from './use-forms.ts';

interface DetailProps {
  connector: Connector;
  onGone: () => void;
}

/** What an opened connector is set to and can do, its test, and what else can be done with it. */
export function ConnectorDetail({ connector, onGone }: DetailProps) {
  const form = useForms().data?.items.find(({ provider }) => provider === connector.provider);
  return (
    <section className="nfy-box" aria-label={connector.name}>
      <Trouble connector={connector} />
      <div className="nfy-columns">
        <Facts connector={connector} form={form} />
        <div className="nfy-side">
          <TestPart connector={connector} warning={form?.test_warning} />
          <ConnectorActs connector={connector} form={form} onGone={onGone} />
        </div>
      </div>
    </section>
  );
}

/** Words of others end as they like; the sentence that goes on with them ends once. */
const withoutStop = (words: string): string => words.trim().replace(/\.$/, '');

/** What is wrong, in the provider's words, or in ours where this server may not call it, and what helps. */
function Trouble({ connector }: { connector: Connector }) {
  const { next_try_at: nextAt, state_reason: reason, last_answer: answer } = connector;
  switch (conditionOf(connector)) {
    case 'broken':
      return (
        <p className="note">
          <b className="med">It cannot be sent to with these settings and this credential</b>
          {reason ? <>: {withoutStop(reason)}</> : null}. Messages wait and none is lost.{' '}
          {connector.source === 'configuration'
            ? 'Correct them in SVC_NOTIFY_CONNECTORS and restart, or resume to try it again.'
            : 'Correct them below, or resume to try it again.'}
        </p>
      );
    case 'failing':
      return (
        <p className="note">
          <b className="med">It does not answer</b>
          {answer ? <>: {withoutStop(answer)}</> : null}. One message tries it for all
          {nextAt ? (
            <>
              , next at <Time at={nextAt} show="second" />
            </>
          ) : null}
          ; the others wait, for a day at most. Resume tries at once.
        </p>
      );
    case 'missing':
      return (
        <p className="note">
          It no longer stands in SVC_NOTIFY_CONNECTORS, so its address and credential are gone. Put it back there, or delete it
          here.
        </p>
      );
    default:
      return null;
  }
}

function Facts({ connector, form }: { connector: Connector; form: ProviderForm | undefined }) {
  const labelOf = (name: string): string =>
    ownLabelOf(connector, name) ?? form?.fields.find((field) => field.name === name)?.label ?? name;
  const { settings, secrets, source, created_at: createdAt, created_by: by, rotated_at: rotatedAt } = connector;
  return (
    <dl className="nfy-facts s">
      {Object.entries(settings).map(([name, value]) => (
        <Fact key={name} label={labelOf(name)}>
          {value}
        </Fact>
      ))}
      {secrets.map((name) => (
        <Fact key={name} label={labelOf(name)}>
          <span className="mute">sealed, never shown</span>
        </Fact>
      ))}
      <Fact label="Added">
        <Time at={createdAt} /> {source === 'configuration' ? 'by SVC_NOTIFY_CONNECTORS' : `by ${by?.name ?? 'former member'}`}
      </Fact>
      {rotatedAt ? (
        <Fact label="Last changed">
          <Time at={rotatedAt} />
        </Fact>
      ) : null}
      <Fact label="Last success">
        {connector.last_success_at ? (
          <Time at={connector.last_success_at} show="second" />
        ) : (
          <span className="mute">none yet</span>
        )}
      </Fact>
      {promisesOf(connector).map(({ what, words }) => (
        <Fact key={what} label={what}>
          {words}
        </Fact>
      ))}
    </dl>
  );
}

const Fact = ({ label, children }: { label: string; children: React.ReactNode }) => (
  <>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </>
);
