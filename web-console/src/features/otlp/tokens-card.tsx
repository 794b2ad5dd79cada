import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, tell } from '../../api.ts';
import type { OtlpToken } from '../../api-types.ts';
import { Button, Field } from '../../ui/controls/controls.tsx';
import { useDraft, useDraftOpen } from '../../ui/draft/use-draft.ts';
import { Time } from '../../ui/moments/time.tsx';
import { refusalWords } from '../../ui/permission/permission-words.ts';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { ACTIONS, type Column, numeric } from '../../ui/table/column-heads.tsx';
import { TokenCard } from '../../ui/tokens/token-card.tsx';
import { CreateTokenDialog, isWhole, RevokeDialog } from '../../ui/tokens/token-dialogs.tsx';
import { formatBytes } from '../../ui/words/format.ts';
import { describeCreator } from './telemetry-words.ts';

const COLUMNS: readonly Column[] = [
  'Name',
  'State',
  'Last used',
  numeric('Today'),
  numeric('Daily, over 30 days'),
  'Created',
  ACTIONS,
];

const KEY = ['otlp.tokens.list'];
const FORM = 'connectors.otlp';
const PAGE = 100;
const EVERY_MS = 10_000;

interface TokensCardProps {
  mayWrite: boolean;
  /** The secret that was just shown, for the snippets under it; never kept longer than the page. */
  onCreated: (token: string) => void;
}

/** Tokens by which telemetry comes in; only a hash of each is kept. */
export function TokensCard({ mayWrite, onCreated }: TokensCardProps) {
  const [creating, setCreating] = useDraftOpen(FORM);
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
    <TokenCard
      title="Tokens"
      label="OTLP tokens"
      note="each sends for this tenant only, and reads nothing"
      columns={COLUMNS}
      items={items}
      row={(token) => <TokenRow key={token.id} token={token} onRevoke={mayWrite ? () => setRevoking(token) : undefined} />}
      whenEmpty="Senders present a token with each request. Create one for each program or team, so that each can be revoked alone."
      unavailable={mayWrite ? undefined : refusalWords('otlp.write')}
      onCreate={() => setCreating(true)}
    >
      {list.hasNextPage ? (
        <footer className="foot">
          <Button look="quiet" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Older tokens
          </Button>
        </footer>
      ) : null}
      {creating ? <CreateOtlpToken onCreated={onCreated} onClose={() => setCreating(false)} /> : null}
      {revoking ? (
        <RevokeDialog
          name={revoking.name}
          revoke={() => tell('otlp.tokens.revoke', { id: revoking.id })}
          list={KEY}
          onClose={() => setRevoking(undefined)}
        >
          The very next request with it is refused. This cannot be undone.
          {revoking.configured ? ' SVC_OTLP_TOKENS lists it too: remove it there as well.' : ''}
        </RevokeDialog>
      ) : null}
    </TokenCard>
  );
}

/** `onRevoke` is undefined for who may not revoke it. */
function TokenRow({ token, onRevoke }: { token: OtlpToken; onRevoke: (() => void) | undefined }) {
  return (
    <tr className={token.state === 'valid' ? undefined : 'gone'}>
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
            {describeCreator(token.created_by)}
          </>
        )}
      </td>
      <td className="n">
        {token.state === 'valid' && onRevoke ? (
          <Button look="plain" onClick={onRevoke}>
            Revoke
          </Button>
        ) : null}
      </td>
    </tr>
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

function CreateOtlpToken({ onCreated, onClose }: { onCreated: (token: string) => void; onClose: () => void }) {
  const draft = useDraft(FORM, { name: '', days: '' });
  const { name, days } = draft.value;
  const daysValid = days === '' || isWhole(days, [1, 3650]);
  let missing: string | undefined;
  if (name.trim() === '') missing = 'Enter a name';
  else if (!daysValid) missing = 'Enter a number of days, or none';
  const create = async (): Promise<string> => {
    const { token } = await tell('otlp.tokens.mint', {
      name: name.trim(),
      ...(days === '' ? {} : { expires_in_days: Number(days) }),
    });
    onCreated(token);
    return token;
  };
  return (
    <CreateTokenDialog
      title="Create an OTLP token"
      action="Create token"
      missing={missing}
      create={create}
      lists={[KEY, ['otlp.status']]}
      draft={draft}
      shown={{
        title: 'Copy the token now',
        words:
          'It is not shown again: only its hash is kept. Until you leave this page, the snippets under “Send from” include it.',
      }}
      onClose={onClose}
    >
      <Field
        label="Name"
        data-autofocus
        maxLength={200}
        value={name}
        placeholder="shop collector"
        hint="What sends with it, so that the next person knows whether it can be revoked."
        onChange={(event) => draft.change({ name: event.currentTarget.value })}
      />
      <Field
        label="Valid for (optional)"
        inputMode="numeric"
        unit="days"
        value={days}
        placeholder="until revoked"
        error={daysValid ? undefined : '1 to 3650 days'}
        onChange={(event) => draft.change({ days: event.currentTarget.value.trim() })}
      />
    </CreateTokenDialog>
  );
}
