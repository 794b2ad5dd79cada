import type { ReactNode } from 'react';
import { Icon, type IconName } from '../controls/icons.tsx';

interface EmptyStateProps {
  icon: IconName;
  title: string;
  children: ReactNode;
  /** True for a failure: announced at once. */
  alert?: boolean;
}

/** An empty place that says which kind of empty it is, and the one thing to do. */
export function EmptyState({ icon, title, children, alert = false }: EmptyStateProps) {
  return (
    <div className="empty" role={alert ? 'alert' : 'status'}>
      <Icon name={icon} size={20} />
      <div>
        <h2>{title}</h2>
        <div className="soft">{children}</div>
      </div>
    </div>
  );
}

interface GhostProps {
  width: number | string;
  /** For whoever listens to the page: a heading that comes is not empty until then. */
  says?: string;
}

/** A part of the viewport, as a heading is no narrower than its bar: on a phone it would reach beyond the page. */
const MOST = '60vw';

/** A grey bar of the height of the text it stands for. */
export function Ghost({ width, says }: GhostProps) {
  const within = typeof width === 'number' ? `min(${width}px, ${MOST})` : width;
  return (
    <>
      <span className="ghost" style={{ width: within }} aria-hidden="true" />
      {says ? <span className="unseen">{says}</span> : null}
    </>
  );
}
