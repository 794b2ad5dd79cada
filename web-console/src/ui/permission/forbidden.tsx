import type { Permission } from '@svc/contracts/permissions';
import type { ReactNode } from 'react';
import { EmptyState } from '../placeholders/empty-state.tsx';
import { refusalWords } from './permission-words.ts';
import { useMay } from './use-may.ts';

/** What stands where a part of the console would that the reader's roles do not permit, and who can change that. */
export function Forbidden({ permission }: { permission: Permission }) {
  return (
    <EmptyState icon="lock" title="No permission">
      <p>{refusalWords(permission)} Someone with the role Administrator can grant it under People and tokens.</p>
    </EmptyState>
  );
}

interface PermittedProps {
  permission: Permission;
  children: ReactNode;
}

/** A part of the console for those who hold the permission; inside of a page, for the shell asks for that of the page itself. */
export function Permitted({ permission, children }: PermittedProps) {
  return useMay(permission) ? children : <Forbidden permission={permission} />;
}
