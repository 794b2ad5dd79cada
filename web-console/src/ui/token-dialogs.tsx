import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ConfirmChange, FormDialog, ShownOnce } from './dialogs.tsx';

interface MintDialogProps {
  title: string;
  action: string;
  /** Why it cannot be minted yet. */
  missing: string | undefined;
  /** Makes the token and gives the text that is shown once: the secret, or a command that holds it. */
  mint: () => Promise<string>;
  /** Lists that ask again afterwards. */
  lists: readonly QueryKey[];
  shown: { title: string; words: ReactNode };
  onClose: () => void;
  /** The fields. */
  children: ReactNode;
}

/** A form that makes a token, then the token in the form's place, this once. */
export function MintDialog({ title, action, missing, mint, lists, shown, onClose, children }: MintDialogProps) {
  const queryClient = useQueryClient();
  const run = useMutation({
    mutationFn: mint,
    onSuccess: () => Promise.all(lists.map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
  if (run.data !== undefined) {
    return (
      <ShownOnce title={shown.title} text={run.data} onClose={onClose}>
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
      onSubmit={() => run.mutate()}
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
