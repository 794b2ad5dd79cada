import { useInfiniteQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import type { SetAside } from '../../api-types.ts';
import { Button } from '../../ui/controls/controls.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { type Column, ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { formatBytes } from '../../ui/words/format.ts';
import { describeKept, describeSetAside } from './telemetry-words.ts';

const COLUMNS: readonly Column[] = ['When', 'Signal', 'Why', numeric('Size'), 'What to do', 'Kept until'];

const PAGE = 50;
const EVERY_MS = 10_000;

/** What was taken in and could not be handled; nothing at all while there is none. */
export function SetAsideCard() {
  const list = useInfiniteQuery({
    queryKey: ['bus.quarantine.list'],
    queryFn: ({ signal, pageParam }) =>
      ask('bus.quarantine.list', { limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: EVERY_MS,
  });
  if (list.isError && !list.data) return <Failure error={list.error} retry={() => void list.refetch()} />;
  const first = list.data?.pages[0];
  if (!first || (first.kept.messages === 0 && first.dropped.messages === 0)) return null;
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section className="card" aria-labelledby="aside-h">
      <header>
        <h2 id="aside-h">Set aside</h2>
        <span className="s mute">{describeKept(first)}</span>
      </header>
      <div className="body">
        <p className="soft">
          These messages were accepted and could not be handled. Everything else goes on without them. The operator of this server
          retries or drops them with <span className="mono">npm run svc -- bus quarantine retry|drop</span>.
        </p>
      </div>
      {items.length > 0 ? <SetAsideTable items={items} /> : null}
      {list.hasNextPage ? (
        <footer className="foot">
          <Button look="quiet" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Older messages
          </Button>
        </footer>
      ) : null}
    </section>
  );
}

function SetAsideTable({ items }: { items: SetAside['items'] }) {
  return (
    <ScrollX label="Set aside">
      <table>
        <ColumnHeads columns={COLUMNS} />
        <tbody>
          {items.map((item) => {
            const { why, todo } = describeSetAside(item.reason);
            return (
              <tr key={item.id}>
                <td className="soft">
                  <Time at={item.set_aside_at} />
                </td>
                <td className="cap">{item.signal}</td>
                <td className="med wrap" title={`${item.reason} · ${item.group} · ${item.id}`}>
                  {why}
                </td>
                <td className="n">{formatBytes(item.bytes)}</td>
                <td className="soft wrap">{item.retrying ? 'It is being retried.' : todo}</td>
                <td className="soft">
                  <Time at={item.expires_at} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollX>
  );
}
