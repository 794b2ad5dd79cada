import type { Connector, ProviderForm } from '@svc/contracts/notify/connector';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { tell } from '../../api.ts';
import { Button, Field } from '../../ui/controls/controls.tsx';
import { ConfirmChange, FormDialog } from '../../ui/dialogs/dialogs.tsx';
import { MAY_NOT } from '../../ui/notify/may-not.ts';
import { connectorsQuery } from '../../ui/notify/notify-queries.ts';
import { useMay } from '../../ui/permission/use-may.ts';
import { plural } from '../../ui/words/format.ts';
import { ChangeConnector } from './connector-form.tsx';

interface ActsProps {
  connector: Connector;
  form: ProviderForm | undefined;
  onGone: () => void;
}

const CONFIGURED = 'It stands in SVC_NOTIFY_CONNECTORS and is changed there.';

/** Pause, resume, change, rename and delete; why not, where it cannot be done. */
export function ConnectorActs({ connector, form, onGone }: ActsProps) {
  const mayWrite = useMay('settings.write');
  const [open, setOpen] = useState<'change' | 'rename' | 'remove'>();
  const close = (): void => setOpen(undefined);
  const denied = mayWrite ? undefined : MAY_NOT;
  const fixed = denied ?? (connector.source === 'configuration' ? CONFIGURED : undefined);
  return (
    <div className="nfy-acts">
      <PauseAct connector={connector} denied={denied} />
      <Button icon="key" unavailable={fixed ?? (form ? undefined : 'Its form is loading.')} onClick={() => setOpen('change')}>
        Settings and credential
      </Button>
      <Button icon="pencil" unavailable={fixed} onClick={() => setOpen('rename')}>
        Rename
      </Button>
      <Button icon="trash" unavailable={connector.is_missing ? denied : fixed} onClick={() => setOpen('remove')}>
        Delete
      </Button>
      {connector.source === 'configuration' && mayWrite && !connector.is_missing ? <p className="s mute">{CONFIGURED}</p> : null}
      {open === 'change' && form ? <ChangeConnector connector={connector} form={form} onClose={close} /> : null}
      {open === 'rename' ? <Rename connector={connector} onClose={close} /> : null}
      {open === 'remove' ? <Remove connector={connector} onGone={onGone} onClose={close} /> : null}
    </div>
  );
}

/** Also one that is broken or does not answer is resumed: it is tried at once. */
function PauseAct({ connector, denied }: { connector: Connector; denied: string | undefined }) {
  const queryClient = useQueryClient();
  const isHeld = connector.state !== 'active' || connector.failing_since !== null;
  const set = useMutation({
    mutationFn: (wanted: 'pause' | 'resume') => tell(`notify.connectors.${wanted}`, { id: connector.id }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: connectorsQuery.queryKey }),
  });
  return (
    <>
      {isHeld ? (
        <Button icon="play" busy={set.isPending} unavailable={denied} onClick={() => set.mutate('resume')}>
          Resume
        </Button>
      ) : null}
      {connector.state === 'paused' ? null : (
        <Button icon="pause" busy={set.isPending} unavailable={denied} onClick={() => set.mutate('pause')}>
          Pause
        </Button>
      )}
      {set.error ? (
        <p className="s err" role="alert">
          {set.error.message}
        </p>
      ) : null}
    </>
  );
}

function Rename({ connector, onClose }: { connector: Connector; onClose: () => void }) {
  const [name, setName] = useState(connector.name);
  const queryClient = useQueryClient();
  const rename = useMutation({
    mutationFn: () => tell('notify.connectors.rename', { id: connector.id, name: name.trim() }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: connectorsQuery.queryKey });
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Rename ${connector.name}`}
      action="Rename"
      busy={rename.isPending}
      unavailable={name.trim() === '' ? 'Name it first' : undefined}
      error={rename.error?.message}
      onSubmit={() => rename.mutate()}
      onClose={onClose}
    >
      <Field label="Name" data-autofocus maxLength={200} value={name} onChange={(event) => setName(event.currentTarget.value)} />
    </FormDialog>
  );
}

function Remove({ connector, onGone, onClose }: { connector: Connector; onGone: () => void; onClose: () => void }) {
  const { id, name, waiting } = connector;
  return (
    <ConfirmChange
      title={`Delete ${name}?`}
      action="Delete"
      change={async () => {
        await tell('notify.connectors.remove', { id });
        onGone();
      }}
      list={connectorsQuery.queryKey}
      onClose={onClose}
    >
      {waiting > 0 ? `${plural(waiting, 'message')} that ${waiting === 1 ? 'waits is' : 'wait are'} never sent. ` : ''}
      What is open there stays open: nothing closes it from here any more. Its credential is erased; what it told of stays to be
      read. To stop it for a while, pause it.
    </ConfirmChange>
  );
}
