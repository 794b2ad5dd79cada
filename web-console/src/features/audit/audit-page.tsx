import './audit.css';
import { keepPreviousData, useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ask } from '../../api.ts';
import type { AuditRecord, Verification } from '../../api-types.ts';
import { Button, Field } from '../../ui/controls.tsx';
import { EmptyState, Ghost } from '../../ui/empty-state.tsx';
import { Failure } from '../../ui/failure.tsx';
import { formatCount } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { ScrollX } from '../../ui/scroll-x.tsx';
import { Time } from '../../ui/time.tsx';
import { describeAction, describeDetail, shortId } from './audit-words.ts';

const route = getRouteApi('/audit');
const PAGE = 100;
/** The server walks a bounded stretch of the chain a call; this bounds the calls of one verification. */
const MAX_VERIFY_CALLS = 500;

/** Walks the whole chain, stretch by stretch; the counts add up. */
async function verifyAll(onProgress: (checked: number) => void): Promise<Verification> {
  let checked = 0;
  let cursor: string | undefined;
  for (let call = 0; call < MAX_VERIFY_CALLS; call += 1) {
    const part = await ask('audit.verify', cursor ? { cursor } : {});
    checked += part.checked;
    onProgress(checked);
    if (!part.ok || part.complete || !part.next_cursor) return { ...part, checked };
    cursor = part.next_cursor;
  }
  throw new Error('The trail is longer than this page verifies. Run `npm run svc -- verify-audit` on the server.');
}

function VerifyPanel() {
  const [progress, setProgress] = useState(0);
  const verify = useMutation({ mutationFn: () => verifyAll(setProgress) });
  return (
    <div className="verify">
      <Button look="primary" busy={verify.isPending} onClick={() => verify.mutate()}>
        {verify.isPending ? `Verifying, ${formatCount(progress)} so far` : 'Verify the chain'}
      </Button>
      <div role="status">
        {verify.data ? <VerifyResult result={verify.data} /> : null}
        {verify.error ? <p className="err">The chain could not be verified: {verify.error.message}</p> : null}
      </div>
    </div>
  );
}

function VerifyResult({ result }: { result: Verification }) {
  if (result.ok) {
    return (
      <p className="v v-ok">
        <Icon name="ok" />
        <span>
          The chain is whole: {formatCount(result.checked)} {result.checked === 1 ? 'entry' : 'entries'}, the last is number{' '}
          {result.head_seq}.{' '}
          {result.checkpoint ? (
            <>
              Entries up to number {result.checkpoint.seq} were removed when their retention was over; the checkpoint that stands
              for them was signed <Time at={result.checkpoint.signed_at} />.
            </>
          ) : null}
        </span>
      </p>
    );
  }
  return (
    <p className="err v">
      <Icon name="warning" />
      The chain is broken at entry {result.broken?.seq ?? 'unknown'}: {result.broken?.reason ?? 'no reason given.'}{' '}
      {result.checked > 0 ? 'Entries before it are proven.' : ''}
    </p>
  );
}

/** Who did what, and is the chain whole? */
export function AuditPage() {
  const search = route.useSearch();
  useEffect(() => {
    document.title = 'Audit';
  }, []);
  const { cursor: _, ...filter } = search;
  const trail = useInfiniteQuery({
    queryKey: ['audit.list', filter],
    queryFn: ({ pageParam, signal }) =>
      ask('audit.list', { ...toWindow(filter), limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
  const items = trail.data?.pages.flatMap((page) => page.items);
  return (
    <div className="page">
      <div className="pagehead">
        <div className="grow">
          <h1>Who did what</h1>
          <p className="soft">
            Every change, in the order it happened. Each entry carries a hash of the one before, so that none can be altered or
            taken out unseen.
          </p>
        </div>
        <VerifyPanel />
      </div>
      <section className="card" aria-label="Entries">
        <AuditFilters />
        {trail.isError ? (
          <Failure error={trail.error} retry={() => trail.refetch()} kept="Your filters are kept." />
        ) : (
          <Trail items={items} filtered={Object.values(filter).some(Boolean)} />
        )}
        {trail.hasNextPage ? (
          <footer className="foot">
            <Button look="quiet" busy={trail.isFetchingNextPage} onClick={() => trail.fetchNextPage()}>
              Older entries
            </Button>
            <span className="mute s">{formatCount(items?.length ?? 0)} shown</span>
          </footer>
        ) : null}
      </section>
    </div>
  );
}

interface Filter {
  action?: string | undefined;
  actor?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

const isDay = (text: string | undefined): text is string => text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text);

/** Days as the viewer's calendar has them; the last one counts in full. */
function toWindow({ action, actor, from, to }: Filter): Filter {
  const start = isDay(from) ? new Date(`${from}T00:00:00`) : undefined;
  const end = isDay(to) ? new Date(`${to}T00:00:00`) : undefined;
  end?.setDate(end.getDate() + 1);
  return {
    ...(action ? { action } : {}),
    ...(actor ? { actor } : {}),
    ...(start && !Number.isNaN(start.getTime()) ? { from: start.toISOString() } : {}),
    ...(end && !Number.isNaN(end.getTime()) ? { to: end.toISOString() } : {}),
  };
}

function AuditFilters() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [action, setAction] = useState(search.action ?? '');
  const set = (change: Filter): void => void navigate({ search: (before: Filter) => ({ ...before, ...change }), replace: true });
  const valid = action === '' || /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$/.test(action);
  return (
    <form
      className="auditfilters"
      onSubmit={(event) => {
        event.preventDefault();
        if (valid) set({ action: action || undefined });
      }}
    >
      <Field
        label="Action"
        placeholder="member or member.invite"
        value={action}
        error={valid ? undefined : 'noun.verb, or a noun alone'}
        onChange={(event) => setAction(event.currentTarget.value.trim())}
        onBlur={() => valid && set({ action: action || undefined })}
      />
      <Field
        label="From"
        type="date"
        value={search.from ?? ''}
        onChange={(event) => set({ from: event.currentTarget.value || undefined })}
      />
      <Field
        label="To"
        type="date"
        value={search.to ?? ''}
        onChange={(event) => set({ to: event.currentTarget.value || undefined })}
      />
      {search.actor ? (
        <Button icon="cross" onClick={() => set({ actor: undefined })}>
          One actor only
        </Button>
      ) : null}
      <Button type="submit">Filter</Button>
    </form>
  );
}

function Trail({ items, filtered }: { items: AuditRecord[] | undefined; filtered: boolean }) {
  if (!items) return <div className="body">{<Ghost width="100%" />}</div>;
  if (items.length === 0) {
    return (
      <EmptyState icon="lines" title={filtered ? 'No entry matches' : 'No entry yet'}>
        <p>{filtered ? 'Widen the time or take another action.' : 'The first change will stand here.'}</p>
      </EmptyState>
    );
  }
  return (
    <ScrollX label="Entries">
      <table>
        <thead>
          <tr>
            <th scope="col" className="n">
              No.
            </th>
            <th scope="col">When</th>
            <th scope="col">Who</th>
            <th scope="col">Did</th>
            <th scope="col">To</th>
            <th scope="col">Detail</th>
            <th scope="col">Hash</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Entry key={item.id} item={item} />
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

const KINDS = { account: 'person', api_token: 'API token', agent: 'device', system: 'this server' } as const;

function Entry({ item }: { item: AuditRecord }) {
  const navigate = route.useNavigate();
  return (
    <tr>
      <td className="n mute">{item.seq}</td>
      <td>
        <Time at={item.at} />
      </td>
      <td>
        <button
          type="button"
          className="linkish plain-actor"
          title={`${item.actor.id}. Show only this actor.`}
          onClick={() => void navigate({ search: (before: Filter) => ({ ...before, actor: item.actor.id }) })}
        >
          {item.actor.name ?? KINDS[item.actor.kind]}
        </button>{' '}
        {item.actor.name ? <span className="mute xs">{KINDS[item.actor.kind]}</span> : null}
      </td>
      <td title={item.action}>{describeAction(item.action)}</td>
      <td className="soft" title={item.object?.id}>
        {item.object ? (item.object.name ?? `${item.object.type.replaceAll('_', ' ')} ${shortId(item.object.id)}`) : ''}
      </td>
      <td className="soft wrap">{describeDetail(item.detail)}</td>
      <td className="mono mute" title={item.hash}>
        {item.hash.slice(0, 10)}
      </td>
    </tr>
  );
}
