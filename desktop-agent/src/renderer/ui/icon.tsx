import { Icon as Drawing, type IconName as DrawingName } from '@svc/look/icons';

/** Causes and states of the agent that are drawn as something of another name. */
const DRAWN_AS = { none: 'ok', gone: 'warning', permission: 'lock' } as const satisfies Record<string, DrawingName>;

export type IconName = DrawingName | keyof typeof DRAWN_AS;

const isState = (name: IconName): name is keyof typeof DRAWN_AS => name in DRAWN_AS;

/** Decoration only: the word always stands beside it or in the control's name. */
export function Icon({ name, size = 16, className }: { name: IconName; size?: number; className?: string }) {
  const drawing = isState(name) ? DRAWN_AS[name] : name;
  return <Drawing name={drawing} size={size} {...(className === undefined ? {} : { className })} />;
}

/** The product's mark: a hop, a ring on a line that changes level. */
export function Mark() {
  return (
    <svg className="mark" width="16.9" height="13" viewBox="0 0 26 20" aria-hidden="true">
      <path d="M1.5 6.5H7M19 13.5h5.5" />
      <circle cx="13" cy="10" r="7" />
      <circle cx="13" cy="10" r="2.2" fill="currentColor" stroke="none" />
    </svg>
  );
}
