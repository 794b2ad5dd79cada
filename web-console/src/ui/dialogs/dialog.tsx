import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { Button } from '../controls/controls.tsx';
import { useReturnFocus } from '../focus/use-return-focus.ts';

interface DialogProps {
  open: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
  size?: number;
}

/** For what needs an answer or a form, never for reading. Focus is kept inside and goes back afterwards; Escape closes. */
export function Dialog({ open, title, onClose, children, size = 520 }: DialogProps) {
  useReturnFocus(open);
  return (
    <Modal
      opened={open}
      onClose={onClose}
      title={title}
      size={size}
      centered
      lockScroll={false}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
      overlayProps={{ backgroundOpacity: 0.4 }}
      closeButtonProps={{ 'aria-label': 'Close' }}
      classNames={{
        content: 'dlg',
        header: 'dlg-head',
        title: 'dlg-title',
        body: 'dlg-body',
        close: 'dlg-close',
        overlay: 'dlg-veil',
      }}
    >
      {children}
    </Modal>
  );
}

interface ConfirmProps {
  open: boolean;
  title: string;
  /** What happens, in a sentence. */
  children: ReactNode;
  action: string;
  busy: boolean;
  error?: string | undefined;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function Confirm({ open, title, children, action, busy, error, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog open={open} title={title} onClose={onClose} size={440}>
      <p className="soft">{children}</p>
      {error ? (
        <p className="err" role="alert">
          {error}
        </p>
      ) : null}
      <div className="dlg-foot">
        <Button onClick={onClose}>Keep</Button>
        <Button look="danger" busy={busy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
