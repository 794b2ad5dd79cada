import type { EndpointRow, Verdict } from '@svc/contracts/endpoint/view';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { tell } from '../../../api.ts';
import { Button, Field } from '../../../ui/controls/controls.tsx';
import { Confirm, Pop } from '../../../ui/controls/floating.tsx';
import { FormDialog } from '../../../ui/dialogs/dialogs.tsx';
import { useDraft, useDraftOpen } from '../../../ui/draft/use-draft.ts';
import { refusalWords } from '../../../ui/permission/permission-words.ts';

const NO_WRITE = refusalWords('agent.write');
/** States in which a device measures nothing, whoever asks. */
const REFUSES: Readonly<Partial<Record<Verdict, string>>> = {
  paused: 'The person there has paused it: nothing is measured until the pause ends',
  declined: 'The person there declined to be measured',
  update_required: 'Its agent is too old to talk to this server',
};
/** A run takes about this long until its results are stored. */
const RUN_MS = 20_000;

function RunNow({ row, mayWrite }: { row: EndpointRow; mayWrite: boolean }) {
  const { id } = row;
  const queryClient = useQueryClient();
  const [left, setLeft] = useState(0);
  const run = useMutation({
    mutationFn: () => tell('fleet.runNow', { id }),
    onSuccess: (answer) => setLeft(answer.connected ? RUN_MS / 1000 : 0),
  });
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => {
      setLeft(left - 1);
      if (left % 5 === 1) void queryClient.invalidateQueries({ queryKey: ['endpoint.device', id] });
    }, 1000);
    return () => clearTimeout(timer);
  }, [left, id, queryClient]);
  return (
    <>
      <Button
        look="primary"
        icon="play"
        busy={run.isPending || left > 0}
        unavailable={mayWrite ? REFUSES[row.verdict] : NO_WRITE}
        onClick={() => run.mutate()}
      >
        {left > 0 ? `Measuring, ${left} s left` : 'Measure now'}
      </Button>
      <span role="status" className="s soft actnote">
        {run.data && !run.data.connected ? 'It holds no connection now; it measures when it is back.' : ''}
        {run.error ? run.error.message : ''}
      </span>
    </>
  );
}

function EditDialog({ row, onClose }: { row: EndpointRow; onClose: () => void }) {
  const queryClient = useQueryClient();
  const draft = useDraft(`device.${row.id}`, { name: row.name ?? '', site: row.site ?? '', owner: row.owner ?? '' });
  const { name, site, owner } = draft.value;
  const save = useMutation({
    mutationFn: async () => {
      if (name.trim() !== (row.name ?? '')) await tell('fleet.agents.rename', { id: row.id, name: name.trim() || null });
      if (site.trim() !== (row.site ?? '')) await tell('fleet.agents.setSite', { ids: [row.id], site: site.trim() || null });
      if (owner.trim() !== (row.owner ?? '')) await tell('fleet.agents.setOwner', { ids: [row.id], owner: owner.trim() || null });
    },
    onSuccess: async () => {
      draft.clear();
      await queryClient.invalidateQueries();
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Edit ${row.name ?? 'this device'}`}
      action="Save"
      busy={save.isPending}
      error={save.error?.message}
      draft={draft}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <Field
        label="Name"
        data-autofocus
        value={name}
        maxLength={255}
        hint="Empty: the device’s own name."
        onChange={(event) => draft.change({ name: event.currentTarget.value })}
      />
      <Field
        label="Site"
        value={site}
        maxLength={128}
        hint="Devices of one site behind one gateway are compared with each other."
        onChange={(event) => draft.change({ site: event.currentTarget.value })}
      />
      <Field
        label="Owner’s e-mail"
        type="email"
        value={owner}
        maxLength={320}
        hint="Stays here; what is measured carries the device’s id only."
        onChange={(event) => draft.change({ owner: event.currentTarget.value })}
      />
    </FormDialog>
  );
}

const ENDINGS = {
  retire: {
    title: 'Retire this device?',
    action: 'Retire',
    words:
      'It leaves the fleet and its agent stops. It may come back with a new enrol token; what it measured stays until its retention ends.',
  },
  revoke: {
    title: 'Revoke this device’s certificate?',
    action: 'Revoke',
    words:
      'Its streams end at once and its key cannot enrol again. Do this when the device is lost or its key may be in other hands.',
  },
} as const;

function EndDialog({ row, kind, onClose }: { row: EndpointRow; kind: keyof typeof ENDINGS; onClose: () => void }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: () => tell(`fleet.agents.${kind}`, { ids: [row.id] }),
    onSuccess: async () => {
      await navigate({ to: '/fleet' });
      await queryClient.invalidateQueries();
    },
  });
  const { title, action, words } = ENDINGS[kind];
  return (
    <Confirm
      open
      title={title}
      action={action}
      busy={end.isPending}
      error={end.error?.message}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      {row.name ?? row.id}: {words}
    </Confirm>
  );
}

/** What may be done to a device, beside its sentence. */
export function DeviceActions({ row, mayWrite }: { row: EndpointRow; mayWrite: boolean }) {
  const [wasEdited] = useDraftOpen(`device.${row.id}`);
  const [open, setOpen] = useState<'edit' | keyof typeof ENDINGS | undefined>(wasEdited ? 'edit' : undefined);
  const close = (): void => setOpen(undefined);
  return (
    <div className="acts">
      <RunNow row={row} mayWrite={mayWrite} />
      {mayWrite ? (
        <>
          <Button onClick={() => setOpen('edit')}>Name, site, owner</Button>
          <Pop
            width={200}
            position="bottom-end"
            target={(shown, toggle) => (
              <Button aria-expanded={shown} onClick={toggle}>
                Retire or revoke
              </Button>
            )}
          >
            {(hide) => (
              <ul className="list">
                {(['retire', 'revoke'] as const).map((kind) => (
                  <li key={kind} className="flush">
                    <button
                      type="button"
                      className="opt"
                      onClick={() => {
                        hide();
                        setOpen(kind);
                      }}
                    >
                      {ENDINGS[kind].title.replace('?', '')}
                    </button>
                  </li>
                ))}
              </ul>
            )}
          </Pop>
        </>
      ) : null}
      {open === 'edit' ? <EditDialog row={row} onClose={close} /> : null}
      {open === 'retire' || open === 'revoke' ? <EndDialog row={row} kind={open} onClose={close} /> : null}
    </div>
  );
}
