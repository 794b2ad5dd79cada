import './first-run.css';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ask, tell } from '../../../../api.ts';
import { Button, Field } from '../../../../ui/controls/controls.tsx';
import { Dialog } from '../../../../ui/dialogs/dialog.tsx';
import { Commands, Copyable } from '../../../../ui/dialogs/dialogs.tsx';
import { DraftNote } from '../../../../ui/draft/draft-note.tsx';
import { useDraft } from '../../../../ui/draft/use-draft.ts';
import { formatMoment, plural } from '../../../../ui/words/format.ts';

/** The commands for another device, with a token created on request: the token is shown this once. */
export function EnrolPanel({ look = 'default' }: { look?: 'default' | 'primary' }) {
  const address = useQuery({ queryKey: ['fleet.enrolCommand'], queryFn: ({ signal }) => ask('fleet.enrolCommand', {}, signal) });
  const draft = useDraft('fleet.enrol', { uses: '1', site: '' });
  const { uses, site } = draft.value;
  const create = useMutation({
    mutationFn: () =>
      tell('fleet.enrolTokens.create', {
        uses: Number(uses),
        expires_in_hours: 24,
        ...(site.trim() ? { site: site.trim() } : {}),
      }),
    onSuccess: draft.clear,
  });
  const made = create.data;
  const usesValid = /^\d{1,6}$/.test(uses) && Number(uses) >= 1 && Number(uses) <= 100_000;
  return (
    <div className="enrol">
      {made ? (
        <>
          <Copyable text={made.command} prompt />
          <p className="s soft">
            For {plural(made.enrol_token.uses, 'device')}, until {formatMoment(made.enrol_token.expires_at, Date.now())}; the
            token is not shown again. The second command first prints what is collected and what never is, then measures.
          </p>
        </>
      ) : (
        <>
          <div className="cmd">
            <code>
              <Commands text={address.data?.command ?? ' '} />
            </code>
            <Button
              look={look}
              busy={create.isPending}
              unavailable={usesValid ? undefined : 'Enter 1 to 100,000 devices'}
              onClick={() => create.mutate()}
            >
              Create token
            </Button>
          </div>
          <DraftNote draft={draft} />
          <div className="formgrid">
            <Field
              label="For how many devices"
              inputMode="numeric"
              value={uses}
              error={usesValid ? undefined : '1 to 100,000'}
              onChange={(event) => draft.change({ uses: event.currentTarget.value })}
            />
            <Field
              label="Site (optional)"
              value={site}
              maxLength={128}
              placeholder="Lisbon, floor 3"
              onChange={(event) => draft.change({ site: event.currentTarget.value })}
            />
          </div>
        </>
      )}
      {create.error ? (
        <p className="err" role="alert">
          {create.error.message}
        </p>
      ) : null}
      {address.error ? <p className="err">{address.error.message}</p> : null}
      {address.data && !address.data.reachable ? (
        <p className="note s">
          Only this machine can reach {address.data.server}. To enrol another device, have the server listen on the network (
          <code>SVC_LISTEN_ADDR=0.0.0.0:{new URL(address.data.server).port || '443'}</code>) or set <code>SVC_PUBLIC_URL</code> to
          an address that the device can reach, then restart it.
        </p>
      ) : null}
    </div>
  );
}

/** The same in a dialog, from the fleet's head. */
export function EnrolDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open title="Enrol a device" onClose={onClose} size={680}>
      <p className="soft">Run both commands on the device, in a checkout of this project. It needs Node 20.19 or newer.</p>
      <EnrolPanel look="primary" />
    </Dialog>
  );
}
