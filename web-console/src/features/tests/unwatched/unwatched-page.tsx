import '../../../ui/page/page-head.css';
import './unwatched.css';
import type { Discovered } from '@svc/contracts/proposals/proposal';
import type { TestSpecInput } from '@svc/contracts/tests/test';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { tell } from '../../../api.ts';
import { Button, Checkbox } from '../../../ui/controls/controls.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { EmptyState, Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../../ui/placeholders/failure.tsx';
import { CHANGED } from '../test-queries.ts';

const KEY = ['ai.discover'];

/** Asked once a visit: it looks over all planes. */
const useUnwatched = () =>
  useQuery({ queryKey: KEY, queryFn: () => tell('ai.discover', {}), staleTime: 60_000, refetchOnWindowFocus: false });

/** Hosts that our own data show and no test asks: take some, dismiss the others. */
export function UnwatchedPage() {
  const list = useUnwatched();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isReviewed, setReviewed] = useState(false);
  const items = list.data?.items ?? [];
  const taken = items.filter(({ host }) => chosen.has(host));
  const toggle = (host: string): void =>
    setChosen((before) => (before.has(host) ? new Set([...before].filter((one) => one !== host)) : new Set([...before, host])));
  const forget = (): void => {
    setChosen(new Set());
    setReviewed(false);
  };
  return (
    <div className="unwatched">
      <div className="head">
        <div className="grow">
          <h1>{list.data ? headline(items.length) : <Ghost width={360} says="Not watched yet, loading" />}</h1>
          <p className="soft">
            Out of what devices, users, services and incidents of this tenant show. Nothing is created until you say so.
          </p>
        </div>
        <div className="headacts">
          <Link to="/tests" className="btn quiet">
            All tests
          </Link>
          <Button look="primary" unavailable={taken.length === 0 ? 'Choose a host' : undefined} onClick={() => setReviewed(true)}>
            Review {taken.length > 0 ? taken.length : ''}
          </Button>
        </div>
      </div>
      {list.isError && !list.data ? <Failure error={list.error} retry={() => list.refetch()} /> : null}
      {list.data?.nothing ? (
        <EmptyState icon="target" title="Nothing to add">
          <p>{list.data.nothing}</p>
        </EmptyState>
      ) : null}
      <ul className="unwatchedlist">
        {items.map((item) => (
          <Row key={item.host} item={item} isChosen={chosen.has(item.host)} onToggle={() => toggle(item.host)} />
        ))}
      </ul>
      <Dismissed hosts={list.data?.dismissed ?? []} />
      {isReviewed ? <Review items={taken} onDone={forget} onClose={() => setReviewed(false)} /> : null}
    </div>
  );
}

const headline = (count: number): string =>
  count === 0 ? 'Everything that was seen is watched.' : `${count === 1 ? 'One host is' : `${count} hosts are`} not watched yet.`;

/** Dismissing and taking it back; the list is read again. */
function useDecide(decision: 'ai.dismiss' | 'ai.restore') {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (host: string) => tell(decision, { host }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
}

function Row({ item, isChosen, onToggle }: { item: Discovered; isChosen: boolean; onToggle: () => void }) {
  const dismiss = useDecide('ai.dismiss');
  const { host, test, evidence, value } = item;
  return (
    <li className="unwatchedrow">
      <Checkbox checked={isChosen} label={`Take ${host}`} hideLabel onChange={onToggle} />
      <div className="grow">
        <p className="med">{host}</p>
        <p className="s">
          {test.type} {test.target}
        </p>
        <ul className="s soft">
          {evidence.map(({ source, sentence }) => (
            <li key={source}>{sentence}</li>
          ))}
        </ul>
        <p className="s mute">{value}</p>
        {dismiss.isError ? (
          <p className="s err" role="alert">
            {dismiss.error.message}
          </p>
        ) : null}
      </div>
      <Button look="quiet" busy={dismiss.isPending} aria-label={`Dismiss ${host}`} onClick={() => dismiss.mutate(host)}>
        Dismiss
      </Button>
    </li>
  );
}

/** An undo for as long as the host would be here. */
function Dismissed({ hosts }: { hosts: readonly string[] }) {
  const restore = useDecide('ai.restore');
  if (hosts.length === 0) return null;
  return (
    <section aria-label="Dismissed">
      <h2 className="s med">Dismissed</h2>
      <ul className="unwatchedlist">
        {hosts.map((host) => (
          <li key={host} className="row">
            <span className="grow">{host}</span>
            <Button
              look="quiet"
              busy={restore.isPending && restore.variables === host}
              aria-label={`Take back ${host}`}
              onClick={() => restore.mutate(host)}
            >
              Take back
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ReviewProps {
  items: readonly Discovered[];
  onDone: () => void;
  onClose: () => void;
}

/** All that would be created, at once: the person's click makes them, one by one, and says which could not be. */
function Review({ items, onDone, onClose }: ReviewProps) {
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: async () => {
      for (const { test } of items) await tell('tests.create', { test: test as TestSpecInput });
    },
    onSettled: async () => {
      await Promise.all([KEY, ...CHANGED].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    },
    onSuccess: onDone,
  });
  return (
    <Dialog open title={items.length === 1 ? 'Create this test?' : `Create these ${items.length} tests?`} onClose={onClose}>
      <ul className="unwatchedreview">
        {items.map(({ host, test }) => (
          <li key={host}>
            <span className="med">{test.name}</span>{' '}
            <span className="mute">
              {test.type} {test.target}, every {test.interval_seconds ?? 60} s
            </span>
          </li>
        ))}
      </ul>
      {create.isError ? (
        <p className="s err" role="alert">
          Not all were created: {create.error.message}
        </p>
      ) : null}
      <div className="row">
        <Button look="primary" busy={create.isPending} onClick={() => create.mutate()}>
          {items.length === 1 ? 'Create test' : `Create ${items.length} tests`}
        </Button>
        <Button look="plain" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
