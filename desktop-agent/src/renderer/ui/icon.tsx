import type { ReactNode } from 'react';

const circle = <circle cx="8" cy="8" r="6.1" />;
const dot = (cy: number, r: number): ReactNode => <circle cx="8" cy={cy} r={r} fill="currentColor" stroke="none" />;

/** 16-unit grid, stroke only; shapes differ without colour. */
const PATHS = {
  none: [circle, <path key="t" d="m5.3 8.2 1.9 1.9 3.6-4" />],
  wifi: [<path key="a" d="M1.8 6.2a9 9 0 0 1 12.4 0M4.1 8.8a5.6 5.6 0 0 1 7.8 0" />, dot(12, 1.1)],
  local: [
    <rect key="b" x="1.8" y="8.6" width="12.4" height="4.6" rx="1" />,
    <path key="a" d="M4.4 10.9h.01M7 10.9h.01M11.6 8.4V4.2M9.6 5.2a2.8 2.8 0 0 1 4 0" />,
  ],
  isp: [
    <path key="m" d="M8 6.4 4.9 14M8 6.4l3.1 7.6M6 11.2h4M8 6.2V5" />,
    dot(4.6, 1),
    <path key="w" d="M4.6 7.6a4.6 4.6 0 0 1 0-6M11.4 7.6a4.6 4.6 0 0 0 0-6" />,
  ],
  network: [
    circle,
    <path key="g" d="M1.9 8h12.2M8 1.9c2 1.7 2.8 3.8 2.8 6.1S10 12.4 8 14.1C6 12.4 5.2 10.3 5.2 8S6 3.6 8 1.9z" />,
  ],
  unknown: [
    <circle key="c" cx="8" cy="8" r="6.1" strokeDasharray="2.6 2.19" />,
    <path key="q" d="M6.3 6.5a1.8 1.8 0 1 1 2.4 1.7c-.5.2-.7.5-.7 1M8 11.2h.01" />,
  ],
  paused: [circle, <path key="b" d="M6.5 5.8v4.4M9.5 5.8v4.4" />],
  offline: [<path key="o" d="M12.1 3.9A5.75 5.75 0 0 0 3.9 12.1M5.6 13.2A5.75 5.75 0 0 0 13.2 5.6M2 14 14 2" />],
  permission: [<rect key="b" x="3" y="7" width="10" height="7" rx="1.2" />, <path key="a" d="M5.2 7V5a2.8 2.8 0 0 1 5.6 0v2" />],
  update: [circle, <path key="a" d="M8 11V5.4M5.6 7.6 8 5.2l2.4 2.4" />],
  declined: [circle, <path key="m" d="M5.4 8h5.2" />],
  pending: [circle, <path key="d" d="M5.2 8h.01M8 8h.01M10.8 8h.01" />],
  gone: [<path key="t" d="M8 2.2 14.4 13.4H1.6z" />, <path key="m" d="M8 6.4v3.2M8 11.5h.01" />],
  laptop: [<rect key="s" x="3" y="3" width="10" height="7" rx="1" />, <path key="b" d="M1.5 12.5h13" />],
  lines: [<path key="l" d="M2 3h9M5 6.3h8M3.5 9.7h7M7 13h7" />],
  search: [<circle key="c" cx="7" cy="7" r="4.6" />, <path key="h" d="m10.5 10.5 3.7 3.7" />],
  clock: [circle, <path key="h" d="M8 4.6V8l2.3 1.6" />],
  down: [<path key="d" d="m4.5 6.5 3.5 3.5 3.5-3.5" />],
  right: [<path key="r" d="m6.5 4.5 3.5 3.5-3.5 3.5" />],
  left: [<path key="l" d="M9.5 4.5 6 8l3.5 3.5" />],
  cross: [<path key="x" d="m4 4 8 8M12 4l-8 8" />],
  check: [<path key="c" d="m3 8.5 3.2 3.2L13 5" />],
  download: [<path key="d" d="M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11" />],
  copy: [<rect key="r" x="5.5" y="5.5" width="8" height="8" rx="1" />, <path key="p" d="M10.5 5.5v-3h-8v8h3" />],
  play: [<path key="p" d="M4.5 2.8 13 8l-8.5 5.2z" />],
  ban: [circle, <path key="b" d="m3.8 3.8 8.4 8.4" />],
  person: [<circle key="h" cx="8" cy="5.4" r="2.6" />, <path key="b" d="M3 13.6c.5-2.8 2.3-4.2 5-4.2s4.5 1.4 5 4.2" />],
} as const satisfies Record<string, ReactNode>;

export type IconName = keyof typeof PATHS;

/** Decoration only: the word always stands beside it or in the control's name. */
export function Icon({ name, size = 16, className }: { name: IconName; size?: number; className?: string }) {
  return (
    <svg className={className ? `ic ${className}` : 'ic'} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {PATHS[name]}
    </svg>
  );
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
