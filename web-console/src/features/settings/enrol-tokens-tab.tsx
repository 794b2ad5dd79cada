import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, tell } from '../../api.ts';
import type { EnrolToken } from '../../api-types.ts';
import { Button, Field } from '../../ui/controls/controls.tsx';
import { useDraft, useDraftOpen } from '../../ui/draft/use-draft.ts';
import { Time } from '../../ui/moments/time.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { ACTIONS, type Column, numeric } from '../../ui/table/column-heads.tsx';
import { TokenCard } from '../../ui/tokens/token-card.tsx';
import { CreateTokenDialog, isWhole, RevokeDialog } from '../../ui/tokens/token-dialogs.tsx';
import { formatCount, plural } from '../../ui/words/format.ts';

const COLUMNS: readonly Column[] = ['Label', 'Site', numeric('Used'), 'Created', 'Last used', 'State', ACTIONS];

const KEY = ['fleet.enrolTokens.list'];
const FORM = 'settings.enrol';

/** Tokens that enrol devices; only a hash of each is kept. */
export function EnrolTokensTab() {
  const list = useQuery({ queryKey: KEY, queryFn: ({ signal }) => ask('fleet.enrolTokens.list', {}, signal) });
  const [creating, setCreating] = useDraftOpen(FORM);
  const [revoking, setRevoking] = useState<EnrolToken>();
  if (list.isError && !list.data) return <Failure error={list.error} retry={() => list.refetch()} />;
  const items = list.data?.items;
  return (
    <TokenCard
      title="Enrol tokens"
      note={items ? plural(items.length, 'token') : ''}
      columns={COLUMNS}
      items={items}
      row={(token) => <TokenRow key={token.id} token={token} onRevoke={() => setRevoking(token)} />}
      whenEmpty="A device needs one to enrol. It is shown once, with the commands to run."
      onCreate={() => setCreating(true)}
    >
      {creating ? <CreateEnrolToken onClose={() => setCreating(false)} /> : null}
      {revoking ? (
        <RevokeDialog
          name={revoking.label ?? 'this token'}
          revoke={() => tell('fleet.enrolTokens.revoke', { id: revoking.id })}
          list={KEY}
          onClose={() => setRevoking(undefined)}
        >
          No further device enrols with it. Devices that enrolled with it stay enrolled.
        </RevokeDialog>
      ) : null}
    </TokenCard>
  );
}

const STATES = { valid: 'valid', used_up: 'used up', expired: 'expired', revoked: 'revoked' } as const;

function TokenRow({ token, onRevoke }: { token: EnrolToken; onRevoke: () => void }) {
  const valid = token.state === 'valid';
  return (
    <tr className={valid ? undefined : 'gone'}>
      <td className="med">{token.label ?? 'no label'}</td>
      <td className="soft">{token.site ?? 'none set'}</td>
      <td className="n">
        {formatCount(token.used)} of {formatCount(token.uses)}
      </td>
      <td className="soft">
        <Time at={token.created_at} />
      </td>
      <td className="soft">{token.last_used_at ? <Time at={token.last_used_at} /> : 'never'}</td>
      <td className="soft">
        {STATES[token.state]}
        {valid ? (
          <>
            {' until '}
            <Time at={token.expires_at} />
          </>
        ) : null}
      </td>
      <td className="n">
        {valid ? (
          <Button look="plain" onClick={onRevoke}>
            Revoke
          </Button>
        ) : null}
      </td>
    </tr>
  );
}

function CreateEnrolToken({ onClose }: { onClose: () => void }) {
  const draft = useDraft(FORM, { label: '', site: '', uses: '1', hours: '24' });
  const { label, site, uses, hours } = draft.value;
  const usesValid = isWhole(uses, [1, 100_000]);
  const hoursValid = isWhole(hours, [1, 8784]);
  const create = async (): Promise<string> => {
    const made = await tell('fleet.enrolTokens.create', {
      uses: Number(uses),
      expires_in_hours: Number(hours),
      ...(label.trim() ? { label: label.trim() } : {}),
      ...(site.trim() ? { site: site.trim() } : {}),
    });
    return made.command;
  };
  return (
    <CreateTokenDialog
      title="Create an enrol token"
      action="Create token"
      missing={usesValid && hoursValid ? undefined : 'Check the numbers'}
      create={create}
      lists={[KEY]}
      draft={draft}
      shown={{
        title: 'Run these commands on the devices',
        prompt: true,
        words: 'The token is not shown again: only its hash is kept.',
      }}
      onClose={onClose}
    >
      <Field
        label="Label (optional)"
        data-autofocus
        maxLength={100}
        value={label}
        placeholder="Lisbon laptops"
        onChange={(event) => draft.change({ label: event.currentTarget.value })}
      />
      <Field
        label="Site (optional)"
        maxLength={128}
        value={site}
        placeholder="Lisbon, floor 3"
        hint="Every device that enrols with it gets this site."
        onChange={(event) => draft.change({ site: event.currentTarget.value })}
      />
      <div className="formgrid">
        <Field
          label="For how many devices"
          inputMode="numeric"
          value={uses}
          error={usesValid ? undefined : '1 to 100,000'}
          onChange={(event) => draft.change({ uses: event.currentTarget.value })}
        />
        <Field
          label="Valid for"
          unit="hours"
          inputMode="numeric"
          value={hours}
          error={hoursValid ? undefined : '1 to 8784'}
          onChange={(event) => draft.change({ hours: event.currentTarget.value })}
        />
      </div>
    </CreateTokenDialog>
  );
}
