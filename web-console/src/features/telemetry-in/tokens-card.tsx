import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, tell } from '../../api.ts';
import type { OtlpToken } from '../../api-types.ts';
import { Button, Field } from '../../ui/controls.tsx';
import { EmptyState, Ghost } from '../../ui/empty-state.tsx';
import { Failure } from '../../ui/failure.tsx';
import { formatBytes } from '../../ui/format.ts';
import { ScrollX } from '../../ui/scroll-x.tsx';
import { Time } from '../../ui/time.tsx';
import { isWhole, MintDialog, RevokeDialog } from '../../ui/token-dialogs.tsx';

const KEY = ['otlp.tokens.list'];
const PAGE = 100;
const EVERY_MS = 10_000;

interface TokensCardProps {
  mayWrite: boolean;
  /** The secret that was just shown, for the snippets under it; never kept longer than the page. */
  onMinted: (token: string) => void;
}

/** Tokens by which telemetry comes in; only a hash of each is kept. */
export function TokensCard({ mayWrite, onMinted }: TokensCardProps) {
  const [minting, setMinting] = useState(false);
  const [revoking, setRevoking] = useState<OtlpToken>();
  const list = useInfiniteQuery({
    queryKey: KEY,
    queryFn: ({ signal, pageParam }) =>
      ask('otlp.tokens.list', { limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: EVERY_MS,
  });
  if (list.isError && !list.data) return <Failure error={list.error} retry={() => void list.refetch()} />;
  const items = list.data?.pages.flatMap((page) => page.items);
  return (
    <section className="card" aria-labelledby="otlptokens-h">
      <header>
        <h2 id="otlptokens-h">Tokens</h2>
        <span className="s mute">each sends for this tenant only, and reads nothing</span>
        <span className="grow" />
        <Button
          look="primary"
          icon="plus"
          unavailable={mayWrite ? undefined : 'Your role cannot mint tokens (otlp.write)'}
          onClick={() => setMinting(true)}
        >
          Mint a token
        </Button>
      </header>
      {items?.length === 0 ? (
        <EmptyState icon="key" title="No token yet">
          <p>A sender shows one with each request. Mint one for each program or team, so that one can be revoked alone.</p>
        </EmptyState>
      ) : (
        <TokenTable items={items} mayWrite={mayWrite} onRevoke={setRevoking} />
      )}
      {list.hasNextPage ? (
        <footer className="foot">
          <Button look="quiet" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Older tokens
          </Button>
        </footer>
      ) : null}
      {minting ? <MintOtlpToken onMinted={onMinted} onClose={() => setMinting(false)} /> : null}
      {revoking ? (
        <RevokeDialog
          name={revoking.name}
          revoke={() => tell('otlp.tokens.revoke', { id: revoking.id })}
          list={KEY}
          onClose={() => setRevoking(undefined)}
        >
          The very next request with it is refused. This cannot be undone.
          {revoking.configured ? ' It stands in SVC_OTLP_TOKENS too: take it out there as well.' : ''}
        </RevokeDialog>
      ) : null}
    </section>
  );
}

interface TableProps {
  items: readonly OtlpToken[] | undefined;
  mayWrite: boolean;
  onRevoke: (token: OtlpToken) => void;
}

function TokenTable({ items, mayWrite, onRevoke }: TableProps) {
  return (
    <ScrollX label="OTLP tokens">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col">Last used</th>
            <th scope="col" className="n">
              Today
            </th>
            <th scope="col" className="n">
              A day, over 30 days
            </th>
            <th scope="col">Minted</th>
            <th scope="col">
              <span className="sr">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items ? null : (
            <tr>
              <td colSpan={7}>
                <Ghost width={420} />
              </td>
            </tr>
          )}
          {items?.map((token) => (
            <tr key={token.id} className={token.state === 'valid' ? undefined : 'gone'}>
              <td className="med">{token.name}</td>
              <td className="soft">
                <TokenState token={token} />
              </td>
              <td className="soft">{token.last_used_at ? <Time at={token.last_used_at} /> : 'never'}</td>
              <td className="n">{formatBytes(token.bytes_today)}</td>
              <td className="n">{formatBytes(bytesADay(token))}</td>
              <td className="soft">
                {token.configured ? (
                  'in SVC_OTLP_TOKENS'
                ) : (
                  <>
                    <Time at={token.created_at} />
                    {token.created_by.name ? ` by ${token.created_by.name}` : ''}
                  </>
                )}
              </td>
              <td className="n">
                {token.state === 'valid' && mayWrite ? (
                  <Button look="plain" onClick={() => onRevoke(token)}>
                    Revoke
                  </Button>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

const DAY_MS = 86_400_000;

/** Over the days that the token exists, thirty at most. */
function bytesADay({ bytes_30_days: bytes, created_at: at }: OtlpToken): number {
  const days = Math.ceil((Date.now() - Date.parse(at)) / DAY_MS);
  return bytes / Math.min(30, Math.max(1, days));
}

function TokenState({ token }: { token: OtlpToken }) {
  if (token.state === 'revoked') return <>revoked {token.revoked_at ? <Time at={token.revoked_at} /> : null}</>;
  if (!token.expires_at) return 'valid until revoked';
  return (
    <>
      {token.state === 'expired' ? 'expired ' : 'valid until '}
      <Time at={token.expires_at} />
    </>
  );
}

function MintOtlpToken({ onMinted, onClose }: { onMinted: (token: string) => void; onClose: () => void }) {
  const [name, setName] = useState('');
  const [days, setDays] = useState('');
  const daysValid = days === '' || isWhole(days, [1, 3650]);
  let missing: string | undefined;
  if (name.trim() === '') missing = 'Give it a name';
  else if (!daysValid) missing = 'Give a number of days, or none';
  const mint = async (): Promise<string> => {
    const { token } = await tell('otlp.tokens.mint', {
      name: name.trim(),
      ...(days === '' ? {} : { expires_in_days: Number(days) }),
    });
    onMinted(token);
    return token;
  };
  return (
    <MintDialog
      title="Mint a token"
      action="Mint"
      missing={missing}
      mint={mint}
      lists={[KEY, ['otlp.status']]}
      shown={{
        title: 'Copy the token now',
        words:
          'It is not shown again: only its hash is kept. Until you leave this page it also stands in the lines to copy under “Send from”.',
      }}
      onClose={onClose}
    >
      <Field
        label="Name"
        data-autofocus
        maxLength={200}
        value={name}
        placeholder="shop collector"
        hint="What sends with it, so that the next person dares to revoke it."
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Field
        label="Valid for (optional)"
        inputMode="numeric"
        unit="days"
        value={days}
        placeholder="until revoked"
        error={daysValid ? undefined : '1 to 3650 days'}
        onChange={(event) => setDays(event.currentTarget.value.trim())}
      />
    </MintDialog>
  );
}
