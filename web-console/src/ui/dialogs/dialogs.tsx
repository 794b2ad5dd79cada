import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button, CopyButton } from '../controls/controls.tsx';
import { ScrollX } from '../controls/scroll-x.tsx';
import { DraftNote, UnsavedMark } from '../draft/draft-note.tsx';
import type { Draft } from '../draft/use-draft.ts';
import { Confirm, Dialog } from './dialog.tsx';

interface FormDialogProps {
  title: string;
  action: string;
  busy: boolean;
  /** Why it cannot be sent yet. */
  unavailable?: string | undefined;
  error?: string | undefined;
  /** What is typed, kept until it is sent (the caller clears it then) or the dialog is closed. */
  draft?: Pick<Draft<object>, 'isDirty' | 'restoredAt' | 'discard'> | undefined;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** A form in a dialog: Enter sends it, its error stands above its buttons. */
export function FormDialog({ title, action, busy, unavailable, error, draft, onSubmit, onClose, children }: FormDialogProps) {
  const close = (): void => {
    draft?.discard();
    onClose();
  };
  return (
    <Dialog open title={title} onClose={close}>
      <form
        className="dlg-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy && !unavailable) onSubmit();
        }}
      >
        {draft ? <DraftNote draft={draft} /> : null}
        {children}
        {error ? (
          <p className="err" role="alert">
            {error}
          </p>
        ) : null}
        <div className="dlg-foot">
          {draft ? <UnsavedMark draft={draft} /> : null}
          <Button onClick={close}>Cancel</Button>
          <Button look="primary" type="submit" busy={busy} unavailable={unavailable}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Commands, one per line, each after a prompt that is not copied with it. */
export function Commands({ text }: { text: string }) {
  return text.split('\n').map((line) => (
    <span key={line} className="commandline">
      <span className="pr">$ </span>
      {line}
    </span>
  ));
}

/** A command or secret in full, with the button that copies it; `prompt` marks commands, one per line. Other lines keep their shape and scroll. */
export function Copyable({ text, prompt = false }: { text: string; prompt?: boolean }) {
  return (
    <div className="cmd">
      {text.includes('\n') && !prompt ? (
        <ScrollX label="Lines to copy">
          <code className="lines">{text}</code>
        </ScrollX>
      ) : (
        <code>{prompt ? <Commands text={text} /> : text}</code>
      )}
      <CopyButton text={text} />
    </div>
  );
}

interface ShownOnceProps {
  title: string;
  text: string;
  /** Whether the text is commands, one per line. */
  prompt?: boolean;
  onClose: () => void;
  /** What it is good for, and that it is not shown again. */
  children: ReactNode;
}

/** Something that the server gives out once: a token, a command that holds one, a link. */
export function ShownOnce({ title, text, prompt = false, onClose, children }: ShownOnceProps) {
  return (
    <Dialog open title={title} onClose={onClose} size={640}>
      <p className="soft">{children}</p>
      <Copyable text={text} prompt={prompt} />
    </Dialog>
  );
}

interface ConfirmChangeProps {
  title: string;
  action: string;
  /** What happens, in a sentence. */
  children: ReactNode;
  change: () => Promise<unknown>;
  /** The list that asks again afterwards. */
  list: QueryKey;
  onClose: () => void;
}

/** Asks before a change that cannot be undone; closes once the list shows it. */
export function ConfirmChange({ title, action, children, change, list, onClose }: ConfirmChangeProps) {
  const queryClient = useQueryClient();
  const run = useMutation({
    mutationFn: change,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: list });
      onClose();
    },
  });
  return (
    <Confirm
      open
      title={title}
      action={action}
      busy={run.isPending}
      error={run.error?.message}
      onConfirm={() => run.mutate()}
      onClose={onClose}
    >
      {children}
    </Confirm>
  );
}
