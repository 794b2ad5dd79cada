import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { ConfirmChange, FormDialog, ShownOnce } from '../dialogs/dialogs.tsx';
import type { Draft } from '../draft/use-draft.ts';

interface CreateTokenDialogProps {
  title: string;
  action: string;
  /** Why it cannot be created yet. */
  missing: string | undefined;
  /** Creates the token and gives the text that is shown once: the secret, or a command that holds it. */
  create: () => Promise<string>;
  /** Lists that ask again afterwards. */
  lists: readonly QueryKey[];
  /** `prompt`: what is shown is commands. */
  shown: { title: string; words: ReactNode; prompt?: boolean };
  /** What is typed; cleared once the token is created. */
  draft?: Pick<Draft<object>, 'isDirty' | 'restoredAt' | 'discard' | 'clear'>;
  onClose: () => void;
  /** The fields. */
  children: ReactNode;
}

/** A form that creates a token, then the token in its place, shown once. */
export function CreateTokenDialog(props: CreateTokenDialogProps) {
  const { title, action, missing, create, lists, shown, draft, onClose, children } = props;
  const queryClient = useQueryClient();
  // Known at once, while `isPending` is drawn a moment later: Enter twice in that moment would create two.
  const isSent = useRef(false);
  const run = useMutation({
    mutationFn: create,
    onSettled: () => {
      isSent.current = false;
    },
    onSuccess: () => {
      draft?.clear();
      return Promise.all(lists.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    },
  });
  if (run.data !== undefined) {
    return (
      <ShownOnce title={shown.title} text={run.data} prompt={shown.prompt ?? false} onClose={onClose}>
        {shown.words}
      </ShownOnce>
    );
  }
  return (
    <FormDialog
      title={title}
      action={action}
      busy={run.isPending}
      unavailable={missing}
      error={run.error?.message}
      draft={draft}
      onSubmit={() => {
        if (isSent.current) return;
        isSent.current = true;
        run.mutate();
      }}
      onClose={onClose}
    >
      {children}
    </FormDialog>
  );
}

interface RevokeDialogProps {
  /** What the token is called. */
  name: string;
  revoke: () => Promise<unknown>;
  list: QueryKey;
  onClose: () => void;
  /** What happens, in a sentence. */
  children: ReactNode;
}

export function RevokeDialog({ name, revoke, list, onClose, children }: RevokeDialogProps) {
  return (
    <ConfirmChange title={`Revoke ${name}?`} action="Revoke" change={revoke} list={list} onClose={onClose}>
      {children}
    </ConfirmChange>
  );
}

/** Whether what stands in a field is a whole number from `min` to `max`. */
export const isWhole = (text: string, [min, max]: readonly [number, number]): boolean =>
  /^\d{1,6}$/.test(text) && Number(text) >= min && Number(text) <= max;
