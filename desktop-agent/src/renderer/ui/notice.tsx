import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** A state that stands beside the verdict, in words. */
export function Notice({ icon, title, children }: { icon: IconName; title?: string; children?: ReactNode }) {
  return (
    <div className="notice">
      <Icon name={icon} size={14} />
      <p>
        {title ? <b>{title}</b> : null} {children}
      </p>
    </div>
  );
}
