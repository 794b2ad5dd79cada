import type { Connector, TrialStep } from '@svc/contracts/notify/connector';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { tell } from '../../api.ts';
import { Button } from '../../ui/controls/controls.tsx';
import { Icon } from '../../ui/controls/icons.tsx';
import { MAY_NOT } from '../../ui/notify/may-not.ts';
import { connectorsQuery } from '../../ui/notify/notify-queries.ts';
import { useMay } from '../../ui/permission/use-may.ts';
import { isFine, OUTCOME_WORDS, STEP_WORDS } from './connector-words.ts';

/** What came of a check or a test, step by step, in the provider's words. */
export function TrialSteps({ steps }: { steps: readonly TrialStep[] }) {
  return (
    <ol className="nfy-steps s">
      {steps.map((step) => (
        <li key={step.step} className={isFine(step) ? 'nfy-state' : 'nfy-state on bad'}>
          <Icon name={isFine(step) ? 'check' : 'failed'} size={14} />
          <span>
            <span className="med">{STEP_WORDS[step.step]}</span>: {OUTCOME_WORDS[step.outcome]}
            {step.said ? <span className="soft nfy-words">{step.said}</span> : null}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Opens a message that says it is a test and closes it again; what it may do to people stands beside the button. */
export function TestPart({ connector, warning }: { connector: Connector; warning: string | undefined }) {
  const mayWrite = useMay('settings.write');
  const queryClient = useQueryClient();
  const test = useMutation({
    mutationFn: () => tell('notify.connectors.test', { id: connector.id }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: connectorsQuery.queryKey }),
  });
  const unavailable = connector.is_missing ? 'It has no address and no credential any more.' : mayWrite ? undefined : MAY_NOT;
  return (
    <div className="nfy-test">
      <Button icon="play" busy={test.isPending} unavailable={unavailable} onClick={() => test.mutate()}>
        {test.isPending ? 'Testing' : 'Send a test'}
      </Button>
      <p className="s soft">
        It says that it is a test, and is closed again at once. {warning ? <b className="med">{warning}</b> : null}
      </p>
      <div aria-live="polite">
        {test.data && !test.isPending ? (
          <>
            <p className="s med">{test.data.ok ? 'The test went through.' : 'The test did not go through.'}</p>
            <TrialSteps steps={test.data.steps} />
          </>
        ) : null}
      </div>
      {test.error ? (
        <p className="s err" role="alert">
          {test.error.message}
        </p>
      ) : null}
    </div>
  );
}
