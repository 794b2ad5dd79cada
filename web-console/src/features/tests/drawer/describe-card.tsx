import './describe-card.css';
import type { CannotAuthor, OneProposal, Proposal, ProposalAuthor } from '@svc/contracts/proposals/proposal';
import { useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, useId } from 'react';
import { ApiError, tell } from '../../../api.ts';
import { Button } from '../../../ui/controls/controls.tsx';
import { DESCRIBE_FORM, useDraft } from '../../../ui/draft/use-draft.ts';
import { authorWords, describeChoice, fieldLines } from './proposal-words.ts';
import type { Taken } from './use-taken.ts';

interface Proposed {
  proposal: Proposal;
  /** Why the model did not write it; undefined where it was not asked in vain. */
  instead: string | undefined;
}

const isModelAway = (error: unknown): error is ApiError =>
  error instanceof ApiError && ['unavailable', 'egress_denied', 'rate_limited'].includes(error.code);

/** The author that is configured; where that is a model that gives no answer, the rules, which need none. */
async function propose(prompt: string): Promise<Proposed> {
  try {
    return { proposal: await tell('ai.author', { prompt }), instead: undefined };
  } catch (error) {
    if (!isModelAway(error)) throw error;
    const author: ProposalAuthor = 'heuristic';
    return { proposal: await tell('ai.author', { prompt, author }), instead: error.message };
  }
}

interface CardProps {
  unavailable: string | undefined;
  /** What is in the form below; nothing is made by it. */
  taken: Taken;
}

/** Words in, a test in the form below out: whatever it proposes, only the person creates it. */
export function DescribeCard({ unavailable, taken }: CardProps) {
  const field = useId();
  const draft = useDraft(DESCRIBE_FORM, { prompt: '' });
  const { prompt } = draft.value;
  const asked = useMutation({
    mutationFn: propose,
    onSuccess: ({ proposal }) => {
      // From here on the test below is what is kept: words may hold a credential, and would come back at the next request.
      draft.clear();
      taken.take(proposal, proposal.more);
    },
  });
  // What it is made of is shown as of any other proposal.
  const choose = (proposal: Proposal): void => {
    asked.reset();
    taken.take(proposal, proposal.more);
  };
  const reason = unavailable ?? (prompt.trim() === '' ? 'Say what to watch' : undefined);
  const ask = (): void => {
    if (reason === undefined && !asked.isPending) asked.mutate(prompt.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    ask();
  };
  return (
    <section className="describe" aria-label="Describe what to watch">
      <label className="drawerlabel" htmlFor={field}>
        Describe what to watch
      </label>
      <textarea
        id={field}
        className="input"
        rows={3}
        maxLength={4000}
        // biome-ignore lint/a11y/noAutofocus: whoever opens the drawer to describe a test begins here.
        autoFocus
        placeholder="check every 30 s that https://shop.example/login answers 200 within 800 ms and says Sign in"
        value={prompt}
        onChange={(event) => draft.change({ prompt: event.currentTarget.value })}
        onKeyDown={onKeyDown}
      />
      <div className="row">
        <span className="s mute grow">English, German, French, Spanish or Dutch. Nothing is created by it.</span>
        <Button busy={asked.isPending} unavailable={reason} onClick={ask}>
          Propose
        </Button>
      </div>
      <div role="status">
        {taken.current && !asked.isError ? <Answer proposal={taken.current} instead={asked.data?.instead} taken={taken} /> : null}
      </div>
      {asked.error ? (
        <Refused error={asked.error} onTake={choose} onExample={(example) => draft.change({ prompt: example })} />
      ) : null}
    </section>
  );
}

interface AnswerProps {
  proposal: OneProposal;
  instead: string | undefined;
  taken: Taken;
}

function Answer({ proposal, instead, taken }: AnswerProps) {
  const { rest, made } = taken;
  return (
    <>
      {made > 0 ? (
        <p className="s">{made === 1 ? 'One test is created.' : `${made} tests are created.`} The next is below.</p>
      ) : null}
      <p className="s">
        {proposal.rationale} <span className="mute">{authorWords(proposal.author)}</span>
      </p>
      {instead === undefined ? null : <p className="s mute">The model was not asked in the end: {instead}</p>}
      <dl className="origins">
        {fieldLines(proposal).map(({ path, word, origin, why }) => (
          <div key={path}>
            <dt>{word}</dt>
            <dd>
              <span className={`origin ${origin}`}>{origin === 'asked' ? 'asked for' : origin}</span>
              {why === undefined ? null : <span className="mute"> {why}</span>}
            </dd>
          </div>
        ))}
      </dl>
      {proposal.secrets.length > 0 ? (
        <p className="s">
          Before it runs, make the secret {proposal.secrets.join(', ')}: what you typed was cut out and kept nowhere.
        </p>
      ) : null}
      <Others
        title="The request asks for more tests, which follow one by one:"
        list={rest}
        onTake={(one) => taken.take(one, [proposal, ...rest.filter((other) => other !== one)])}
      />
    </>
  );
}

interface OthersProps<One> {
  title: string;
  list: readonly One[];
  onTake: (proposal: One) => void;
}

function Others<One extends OneProposal>({ title, list, onTake }: OthersProps<One>) {
  if (list.length === 0) return null;
  return (
    <>
      <p className="s">{title}</p>
      <div className="choices">
        {list.map((one) => (
          <Button key={`${describeChoice(one)} ${one.test.name}`} look="quiet" onClick={() => onTake(one)}>
            {describeChoice(one)}
          </Button>
        ))}
      </div>
    </>
  );
}

interface RefusedProps {
  error: Error;
  onTake: (proposal: Proposal) => void;
  onExample: (example: string) => void;
}

/** What is missing, what could be meant, and what would do. */
function Refused({ error, onTake, onExample }: RefusedProps) {
  const more = error instanceof ApiError && error.code === 'cannot_author' ? (error.more as CannotAuthor | undefined) : undefined;
  if (more && more.choices.length > 0)
    return (
      <div role="alert">
        <Others title={more.question ?? 'Which one is meant?'} list={more.choices} onTake={onTake} />
      </div>
    );
  return (
    <div role="alert">
      <p className="s err">{error.message}</p>
      {more && more.examples.length > 0 ? <p className="s mute">This would do:</p> : null}
      <div className="choices">
        {more?.examples.map((example) => (
          <Button key={example} look="quiet" onClick={() => onExample(example)}>
            {example}
          </Button>
        ))}
      </div>
    </div>
  );
}
