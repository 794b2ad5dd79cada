import './audit.css';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api.ts';
import type { AuditRecord, Verification } from '../../api-types.ts';
import { useSearchChange } from '../../ui/address/use-search-change.ts';
import { Button, Field } from '../../ui/controls/controls.tsx';
import { Icon } from '../../ui/controls/icons.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { useMay } from '../../ui/permission/use-may.ts';
import { EmptyState, Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { type Choice, ChoiceFilter } from '../../ui/table/choice-filter.tsx';
import { type Column, ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { deviceName } from '../../ui/words/device-name.ts';
import { formatCount } from '../../ui/words/format.ts';
import { ExportButton } from './audit-export.tsx';
import { listPeople } from './audit-people.ts';
import { type AuditSearch, toWindow } from './audit-search.ts';
import { ACTION_CHOICES, describeAction, describeChange, describeDetail, objectWord, shortId } from './audit-words.ts';

const COLUMNS: readonly Column[] = [numeric('No.'), 'When', 'Who', 'Action', 'Object', 'Detail', 'Hash'];

const route = getRouteApi('/audit');
const PAGE = 100;
const MAX_MEMBERS = 1000;
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
              Entries up to number {result.checkpoint.seq} were removed when their retention was over; the checkpoint in their
              place was signed <Time at={result.checkpoint.signed_at} />.
            </>
          ) : null}{' '}
          {result.remembered ? (
            <>
              Entry {result.remembered.seq}, noted by this server at <Time at={result.remembered.at} />, is still in it.
            </>
          ) : (
            'This server has no saved copy of the last entry yet, so deleted entries at the end would go unnoticed.'
          )}
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
  const trail = useInfiniteQuery({
    queryKey: ['audit.list', search],
    queryFn: ({ pageParam, signal }) =>
      ask('audit.list', { ...toWindow(search), limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
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
            Every change, in the order it happened. Each entry carries a hash of the one before, so verifying finds entries that
            were changed or removed in the database, except by somebody who holds this server’s keys.
          </p>
        </div>
        <VerifyPanel />
      </div>
      <section className="card" aria-label="Entries">
        <AuditFilters items={items ?? []} />
        {trail.isError && !items ? (
          <Failure error={trail.error} retry={() => trail.refetch()} kept="Your filters are kept." />
        ) : (
          <Trail items={items} filtered={Object.values(search).some(Boolean)} />
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

/** Whom the person filter offers: members, and whoever did something in the entries read so far. */
function usePeople(items: readonly AuditRecord[]): Choice[] {
  const may = useMay('member.write');
  const members = useQuery({
    queryKey: ['identity.members.list', 'names'],
    queryFn: ({ signal }) => ask('identity.members.list', { limit: MAX_MEMBERS }, signal),
    enabled: may,
  }).data?.items;
  return listPeople(members ?? [], items);
}

function AuditFilters({ items }: { items: readonly AuditRecord[] }) {
  const search = route.useSearch();
  const set = useSearchChange<AuditSearch>();
  const people = usePeople(items);
  return (
    <div className="auditfilters">
      <ChoiceFilter
        label="Person"
        placeholder="Name or e-mail"
        choices={people}
        value={search.actor}
        shown={search.actor && shortId(search.actor)}
        onChange={(actor) => set({ actor })}
      />
      <ChoiceFilter
        label="Action"
        placeholder="Any action"
        choices={ACTION_CHOICES}
        value={search.action}
        shown={search.action && describeAction(search.action)}
        onChange={(action) => set({ action })}
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
      <span className="grow" />
      <ExportButton question={toWindow(search)} />
    </div>
  );
}

function Trail({ items, filtered }: { items: AuditRecord[] | undefined; filtered: boolean }) {
  if (!items) return <div className="body">{<Ghost width="100%" />}</div>;
  if (items.length === 0) {
    return (
      <EmptyState icon="lines" title={filtered ? 'No entry matches' : 'No entry yet'}>
        <p>{filtered ? 'Widen the time or choose another action.' : 'The first change will appear here.'}</p>
      </EmptyState>
    );
  }
  return (
    <ScrollX label="Entries">
      <table>
        <ColumnHeads columns={COLUMNS} />
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

const actorName = ({ id, name, kind }: AuditRecord['actor']): string =>
  kind === 'agent' ? deviceName(name, id) : (name ?? KINDS[kind]);

function TrailObject({ object: { id, name, type } }: { object: NonNullable<AuditRecord['object']> }) {
  const called = <span className="audit-name">{type === 'agent' ? deviceName(name, id) : (name ?? shortId(id))}</span>;
  // A device that is gone has no page, and no name either; somebody who reads the trail alone may see none.
  const leads = useMay('agent.read') && type === 'agent' && name !== null;
  return (
    <>
      {leads ? (
        <Link to="/fleet/$id" params={{ id }}>
          {called}
        </Link>
      ) : (
        called
      )}{' '}
      <span className="mute xs">{objectWord(type)}</span>
    </>
  );
}

function Entry({ item }: { item: AuditRecord }) {
  const change = useSearchChange<AuditSearch>();
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
          onClick={() => change({ actor: item.actor.id })}
        >
          <span className="audit-name">{actorName(item.actor)}</span>
        </button>{' '}
        {actorName(item.actor) === KINDS[item.actor.kind] ? null : <span className="mute xs">{KINDS[item.actor.kind]}</span>}
      </td>
      <td title={item.action}>{describeAction(item.action)}</td>
      <td className="soft" title={item.object?.id}>
        {item.object ? <TrailObject object={item.object} /> : ''}
      </td>
      <td className="soft audit-detail">
        {[describeDetail(item.detail), describeChange(item.change)].filter(Boolean).join(', ')}
      </td>
      <td className="mono mute" title={item.hash}>
        {item.hash.slice(0, 10)}
      </td>
    </tr>
  );
}
