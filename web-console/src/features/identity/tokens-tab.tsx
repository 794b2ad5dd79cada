import './people.css';
import type { Role } from '@svc/contracts/permissions';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, tell } from '../../api.ts';
import type { ApiToken } from '../../api-types.ts';
import { Button, Field } from '../../ui/controls/controls.tsx';
import { useDraft, useDraftOpen } from '../../ui/draft/use-draft.ts';
import { Time } from '../../ui/moments/time.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { ACTIONS, type Column } from '../../ui/table/column-heads.tsx';
import { TokenCard } from '../../ui/tokens/token-card.tsx';
import { CreateTokenDialog, isWhole, RevokeDialog } from '../../ui/tokens/token-dialogs.tsx';
import { plural } from '../../ui/words/format.ts';
import { RolePicker, RoleTags } from './role-picker.tsx';

const COLUMNS: readonly Column[] = ['Name', 'Roles', 'Created', 'Last used', 'Expires', ACTIONS];

const KEY = ['identity.tokens.list'];
const FORM = 'people.api-key';
const DEFAULT_DAYS = 90;

/** Tokens for scripts; the secret is shown once and only its hash is kept. */
export function TokensTab() {
  const list = useQuery({ queryKey: KEY, queryFn: ({ signal }) => ask('identity.tokens.list', {}, signal) });
  const [creating, setCreating] = useDraftOpen(FORM);
  const [revoking, setRevoking] = useState<ApiToken>();
  if (list.isError && !list.data) return <Failure error={list.error} retry={() => list.refetch()} />;
  const items = list.data?.items;
  return (
    <TokenCard
      title="API tokens"
      note={items ? plural(items.length, 'token') : ''}
      columns={COLUMNS}
      items={items}
      row={(token) => <TokenRow key={token.id} token={token} onRevoke={() => setRevoking(token)} />}
      whenEmpty="A script signs in with a token: Authorization: Bearer svc_pat_… on /v1 and /trpc. Create one with only the roles it needs."
      onCreate={() => setCreating(true)}
    >
      {creating ? <CreateApiToken onClose={() => setCreating(false)} /> : null}
      {revoking ? (
        <RevokeDialog
          name={revoking.name}
          revoke={() => tell('identity.tokens.revoke', { id: revoking.id })}
          list={KEY}
          onClose={() => setRevoking(undefined)}
        >
          Its very next request is refused. This cannot be undone.
        </RevokeDialog>
      ) : null}
    </TokenCard>
  );
}

function TokenRow({ token, onRevoke }: { token: ApiToken; onRevoke: () => void }) {
  const expired = token.expires_at !== null && Date.parse(token.expires_at) < Date.now();
  return (
    <tr className={token.revoked_at || expired ? 'gone' : undefined}>
      <td className="med">{token.name}</td>
      <td>
        <RoleTags roles={token.roles} />
      </td>
      <td className="soft">
        <Time at={token.created_at} />
        {token.created_by.name ? ` by ${token.created_by.name}` : ''}
      </td>
      <td className="soft">{token.last_used_at ? <Time at={token.last_used_at} /> : 'never'}</td>
      <td className="soft">
        {token.expires_at ? (
          <>
            {expired ? 'expired ' : ''}
            <Time at={token.expires_at} />
          </>
        ) : (
          'never'
        )}
      </td>
      <td className="n">
        {token.revoked_at ? (
          <span className="mute">
            revoked <Time at={token.revoked_at} />
          </span>
        ) : (
          <Button look="plain" onClick={onRevoke}>
            Revoke
          </Button>
        )}
      </td>
    </tr>
  );
}

function CreateApiToken({ onClose }: { onClose: () => void }) {
  const initial = { name: '', days: String(DEFAULT_DAYS), roles: ['viewer'] as Role[] };
  const draft = useDraft(FORM, initial);
  const { name, days, roles } = draft.value;
  const daysValid = isWhole(days, [1, 3650]);
  let missing: string | undefined;
  if (name.trim() === '') missing = 'Enter a name';
  else if (roles.length === 0) missing = 'Choose at least one role';
  else if (!daysValid) missing = 'Enter a number of days';
  return (
    <CreateTokenDialog
      title="Create an API token"
      action="Create token"
      missing={missing}
      create={async () =>
        (await tell('identity.tokens.mint', { name: name.trim(), roles, expires_in_days: Number(days) })).secret
      }
      lists={[KEY]}
      draft={draft}
      shown={{ title: 'Copy the token now', words: 'It is not shown again: only its hash is kept.' }}
      onClose={onClose}
    >
      <Field
        label="Name"
        data-autofocus
        maxLength={100}
        value={name}
        placeholder="nightly export"
        hint="What uses it, so that the next person knows whether it can be revoked."
        onChange={(event) => draft.change({ name: event.currentTarget.value })}
      />
      <Field
        label="Valid for"
        inputMode="numeric"
        unit="days"
        value={days}
        error={daysValid ? undefined : '1 to 3650 days'}
        onChange={(event) => draft.change({ days: event.currentTarget.value })}
      />
      <RolePicker roles={roles} onChange={(next) => draft.change({ roles: next })} />
    </CreateTokenDialog>
  );
}
