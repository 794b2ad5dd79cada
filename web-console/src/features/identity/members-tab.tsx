import './people.css';
import type { Role } from '@svc/contracts/permissions';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, ask, tell } from '../../api.ts';
import type { Invite, Member } from '../../api-types.ts';
import { Button, Field } from '../../ui/controls/controls.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { Confirm, Dialog } from '../../ui/dialogs/dialog.tsx';
import { ConfirmChange, FormDialog, ShownOnce } from '../../ui/dialogs/dialogs.tsx';
import { useDraft, useDraftOpen } from '../../ui/draft/use-draft.ts';
import { Time } from '../../ui/moments/time.tsx';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { ACTIONS, type Column, ColumnHeads } from '../../ui/table/column-heads.tsx';
import { formatMoment, plural } from '../../ui/words/format.ts';
import { RolePicker, RoleTags } from './role-picker.tsx';

const COLUMNS: readonly Column[] = ['Name', 'E-mail', 'Roles', 'Last seen', ACTIONS];

const KEY = ['identity.members.list'];
const INVITE_FORM = 'people.invite';
/** Whoever was invited appears without a reload. */
const EVERY_MS = 5_000;

const nameOf = (member: Member): string => member.name ?? member.email ?? 'this member';

/** People of this tenant, and invitations that nobody took yet. */
export function MembersTab() {
  const list = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => ask('identity.members.list', {}, signal),
    refetchInterval: EVERY_MS,
  });
  const [inviting, setInviting] = useDraftOpen(INVITE_FORM);
  const [editing, setEditing] = useState<Member>();
  const [removing, setRemoving] = useState<Member>();
  const [resetting, setResetting] = useState<Member>();
  if (list.isError && !list.data) return <Failure error={list.error} retry={() => list.refetch()} />;
  const { items = [], invites = [] } = list.data ?? {};
  return (
    <>
      <section className="card" aria-labelledby="people-h">
        <header>
          <h2 id="people-h">People</h2>
          <span className="s mute">{list.data ? plural(items.length, 'member') : ''}</span>
          <span className="grow" />
          <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
            Invite
          </Button>
        </header>
        <ScrollX label="People">
          <table>
            <ColumnHeads columns={COLUMNS} />
            <tbody>
              {list.data ? null : <GhostRow />}
              {items.map((member) => (
                <MemberRow
                  key={member.id}
                  member={member}
                  onEdit={() => setEditing(member)}
                  onReset={() => setResetting(member)}
                  onRemove={() => setRemoving(member)}
                />
              ))}
            </tbody>
          </table>
        </ScrollX>
      </section>
      {invites.length > 0 ? <Invites invites={invites} /> : null}
      {inviting ? <InviteDialog onClose={() => setInviting(false)} /> : null}
      {editing ? <RolesDialog member={editing} onClose={() => setEditing(undefined)} /> : null}
      {resetting ? <ResetDialog member={resetting} onClose={() => setResetting(undefined)} /> : null}
      {removing ? (
        <ConfirmChange
          title={`Remove ${nameOf(removing)}?`}
          action="Remove"
          change={() => tell('identity.members.remove', { id: removing.id })}
          list={KEY}
          onClose={() => setRemoving(undefined)}
        >
          Their sessions in this tenant and their API tokens end at once. Enrol tokens and OTLP tokens that they made keep
          working, since devices and senders use them: revoke them in Settings and under Telemetry in. What they did stays in the
          audit trail.
        </ConfirmChange>
      ) : null}
    </>
  );
}

function GhostRow() {
  return (
    <tr>
      <td colSpan={5}>
        <Ghost width={420} />
      </td>
    </tr>
  );
}

interface RowProps {
  member: Member;
  onEdit: () => void;
  onReset: () => void;
  onRemove: () => void;
}

function MemberRow({ member, onEdit, onReset, onRemove }: RowProps) {
  return (
    <tr>
      <td className="med">
        {member.name ?? 'No name given'} {member.is_me ? <span className="tag">you</span> : null}
      </td>
      <td className="soft">{member.email ?? 'none'}</td>
      <td>
        <RoleTags roles={[...new Set([...member.roles, ...member.group_roles])]} />
        {member.group_roles.length > 0 ? <span className="xs mute">some through groups of your identity provider</span> : null}
      </td>
      <td className="soft">{member.last_seen_at ? <Time at={member.last_seen_at} /> : 'never'}</td>
      <td className="n">
        <Button look="plain" onClick={onEdit}>
          Roles
        </Button>
        <Button look="plain" onClick={onReset}>
          New password
        </Button>
        <Button look="plain" unavailable={member.is_me ? 'You cannot remove yourself' : undefined} onClick={onRemove}>
          Remove
        </Button>
      </td>
    </tr>
  );
}

function Invites({ invites }: { invites: readonly Invite[] }) {
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: (id: string) => tell('identity.members.revokeInvite', { id }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: KEY }),
  });
  return (
    <section className="card" aria-labelledby="invites-h">
      <header>
        <h2 id="invites-h">Invitations</h2>
        <span className="s mute">links that were not used yet</span>
      </header>
      <ScrollX label="Invitations">
        <table>
          <tbody>
            {invites.map((invite) => (
              <tr key={invite.id}>
                <td>
                  {invite.email || 'anyone with the link'}
                  {invite.kind === 'claim' ? <span className="xs mute"> made by the operator of this server</span> : null}
                </td>
                <td>
                  <RoleTags roles={invite.roles} />
                </td>
                <td className="soft">
                  made <Time at={invite.created_at} />, until <Time at={invite.expires_at} />
                </td>
                <td className="n">
                  <Button look="plain" busy={revoke.isPending} onClick={() => revoke.mutate(invite.id)}>
                    Take back
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollX>
      {revoke.error ? <p className="err body">{revoke.error.message}</p> : null}
    </section>
  );
}

const PRESET: { email: string; roles: Role[]; isPreset: boolean } = { email: '', roles: ['viewer'], isPreset: true };

/** The first role that is chosen stands in place of the one that nobody chose: an auditor sees the trail and nothing else. */
const dropPreset = (roles: Role[]): Role[] => (roles.length > 1 ? roles.filter((role) => !PRESET.roles.includes(role)) : roles);

function InviteDialog({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient();
  const draft = useDraft<{ email: string; roles: Role[]; isPreset: boolean }>(INVITE_FORM, PRESET);
  const { email, roles, isPreset } = draft.value;
  const invite = useMutation({
    mutationFn: () => tell('identity.members.invite', { roles, ...(email.trim() ? { email: email.trim() } : {}) }),
    onSuccess: () => {
      draft.clear();
      return queryClient.invalidateQueries({ queryKey: KEY });
    },
  });
  if (invite.data) {
    return (
      <ShownOnce title="Send this link" text={invite.data.url} onClose={onClose}>
        It makes one person a member, works once, until {formatMoment(invite.data.expires_at, Date.now())}, and is not shown
        again.
      </ShownOnce>
    );
  }
  return (
    <FormDialog
      title="Invite someone"
      action="Create link"
      busy={invite.isPending}
      unavailable={roles.length === 0 ? 'Choose at least one role' : undefined}
      error={invite.error?.message}
      draft={draft}
      onSubmit={() => invite.mutate()}
      onClose={onClose}
    >
      <Field
        label="E-mail (optional)"
        data-autofocus
        type="email"
        maxLength={320}
        value={email}
        hint="Shown with the invitation; no e-mail is sent."
        onChange={(event) => draft.change({ email: event.currentTarget.value })}
      />
      <RolePicker
        roles={roles}
        onChange={(next) => draft.change({ roles: isPreset ? dropPreset(next) : next, isPreset: false })}
      />
    </FormDialog>
  );
}

function RolesDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const queryClient = useQueryClient();
  const draft = useDraft<{ roles: Role[] }>(`people.roles.${member.id}`, { roles: [...member.roles] });
  const { roles } = draft.value;
  const save = useMutation({
    mutationFn: () => tell('identity.members.setRoles', { id: member.id, roles }),
    onSuccess: async () => {
      draft.clear();
      await queryClient.invalidateQueries({ queryKey: KEY });
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Roles of ${nameOf(member)}`}
      action="Save"
      busy={save.isPending}
      error={save.error?.message}
      draft={draft}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <RolePicker roles={roles} onChange={(next) => draft.change({ roles: next })} />
      {roles.length === 0 ? <p className="s soft">Without a role they may sign in and see nothing.</p> : null}
    </FormDialog>
  );
}

function ResetDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const reset = useMutation({ mutationFn: () => tell('identity.members.resetPassword', { id: member.id }) });
  if (reset.error instanceof ApiError && reset.error.code === 'conflict') {
    return (
      <Dialog open title={`A new password for ${nameOf(member)}`} onClose={onClose} size={440}>
        <p role="alert">{reset.error.message}</p>
        <div className="dlg-foot">
          <Button onClick={onClose}>Close</Button>
        </div>
      </Dialog>
    );
  }
  if (!reset.data) {
    return (
      <Confirm
        open
        title={`A new password for ${nameOf(member)}?`}
        action="Create link"
        busy={reset.isPending}
        error={reset.error?.message}
        onConfirm={() => reset.mutate()}
        onClose={onClose}
      >
        You get a link to send them; whoever opens it sets a new password. Their old one works until then.
      </Confirm>
    );
  }
  return (
    <ShownOnce title="Send this link" text={reset.data.url} onClose={onClose}>
      It works once, until {formatMoment(reset.data.expires_at, Date.now())}, and is not shown again.
    </ShownOnce>
  );
}
