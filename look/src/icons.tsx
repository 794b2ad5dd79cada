import type { ReactNode } from 'react';

const circle = <circle key="circle" cx="8" cy="8" r="6.1" />;
const dot = (cy: number, r: number): ReactNode => (
  <circle key={`dot ${cy}`} cx="8" cy={cy} r={r} fill="currentColor" stroke="none" />
);

/** Every icon: 16-unit grid, stroke only; shapes differ without colour. */
const PATHS = {
  ok: [circle, <path key="t" d="m5.3 8.2 1.9 1.9 3.6-4" />],
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
  noContact: [
    <path
      key="a"
      d="M2 2l12 12M5.2 9.3a4.6 4.6 0 0 1 3-1.2M2.6 6.7a8.5 8.5 0 0 1 2.5-1.7M8 4.2a8.6 8.6 0 0 1 5.6 2.5M10.6 8.9l.6.4"
    />,
    dot(12, 1),
  ],
  offline: [<path key="o" d="M12.1 3.9A5.75 5.75 0 0 0 3.9 12.1M5.6 13.2A5.75 5.75 0 0 0 13.2 5.6M2 14 14 2" />],
  lock: [<rect key="b" x="3" y="7" width="10" height="7" rx="1.2" />, <path key="a" d="M5.2 7V5a2.8 2.8 0 0 1 5.6 0v2" />],
  update: [circle, <path key="a" d="M8 11V5.4M5.6 7.6 8 5.2l2.4 2.4" />],
  declined: [circle, <path key="m" d="M5.4 8h5.2" />],
  pending: [circle, <path key="d" d="M5.2 8h.01M8 8h.01M10.8 8h.01" />],
  laptop: [<rect key="s" x="3" y="3" width="10" height="7" rx="1" />, <path key="b" d="M1.5 12.5h13" />],
  server: [
    <rect key="a" x="2.5" y="2.5" width="11" height="4.5" rx="1" />,
    <rect key="b" x="2.5" y="9" width="11" height="4.5" rx="1" />,
    <path key="d" d="M5 4.75h.01M5 11.25h.01" />,
  ],
  audit: [<path key="l" d="M3 3.5h1M3 8h1M3 12.5h1M6.5 3.5H13M6.5 8H13M6.5 12.5H13" />],
  key: [<circle key="c" cx="5.2" cy="10.8" r="3" />, <path key="k" d="m7.4 8.6 6-6M11 5l2 2" />],
  settings: [
    <path key="l" d="M2 4.5h6.5M12 4.5h2M2 11.5h2M7.5 11.5H14" />,
    <circle key="a" cx="10.2" cy="4.5" r="1.7" />,
    <circle key="b" cx="5.8" cy="11.5" r="1.7" />,
  ],
  search: [<circle key="c" cx="7" cy="7" r="4.6" />, <path key="h" d="m10.5 10.5 3.7 3.7" />],
  clock: [circle, <path key="h" d="M8 4.6V8l2.3 1.6" />],
  moon: [<path key="m" d="M13.4 9.6A5.8 5.8 0 0 1 6.4 2.6a5.8 5.8 0 1 0 7 7z" />],
  sun: [
    <circle key="c" cx="8" cy="8" r="3" />,
    <path
      key="r"
      d="M8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1"
    />,
  ],
  screen: [<rect key="s" x="2" y="2.8" width="12" height="8" rx="1" />, <path key="f" d="M5.5 13.5h5M8 10.8v2.7" />],
  up: [<path key="u" d="m4.5 9.5 3.5-3.5 3.5 3.5" />],
  down: [<path key="d" d="m4.5 6.5 3.5 3.5 3.5-3.5" />],
  left: [<path key="l" d="M9.5 4.5 6 8l3.5 3.5" />],
  right: [<path key="r" d="m6.5 4.5 3.5 3.5-3.5 3.5" />],
  upDown: [<path key="u" d="m5 6 3-3 3 3M5 10l3 3 3-3" />],
  plus: [<path key="p" d="M8 3v10M3 8h10" />],
  cross: [<path key="x" d="m4 4 8 8M12 4l-8 8" />],
  check: [<path key="c" d="m3 8.5 3.2 3.2L13 5" />],
  dash: [<path key="d" d="M4 8h8" />],
  star: [<path key="s" d="m8 2 1.8 3.8 4.2.5-3.1 2.9.8 4.1L8 11.3l-3.7 2 .8-4.1L2 6.3l4.2-.5z" />],
  columns: [<rect key="r" x="2" y="2.5" width="12" height="11" rx="1" />, <path key="l" d="M6 2.5v11M10 2.5v11" />],
  grip: [<path key="g" d="M6 3.5h.01M6 8h.01M6 12.5h.01M10 3.5h.01M10 8h.01M10 12.5h.01" strokeWidth="2" />],
  download: [<path key="d" d="M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11" />],
  copy: [<rect key="r" x="5.5" y="5.5" width="8" height="8" rx="1" />, <path key="p" d="M10.5 5.5v-3h-8v8h3" />],
  plug: [<path key="p" d="M6 1.8v3.4M10 1.8v3.4M4 5.2h8v2.6a4 4 0 0 1-8 0zM8 11.8v2.6" />],
  lines: [<path key="l" d="M2 3h9M5 6.3h8M3.5 9.7h7M7 13h7" />],
  waterfall: [<path key="w" d="M2 3.5h8M5 6.5h6M7.5 9.5h3.5M9.5 12.5H14" />],
  bars: [<path key="b" d="M2.5 13.5v-4M6 13.5V6M9.5 13.5V2.5M13 13.5V8" />],
  hops: [
    <circle key="a" cx="3.4" cy="8" r="1.9" />,
    <circle key="b" cx="12.4" cy="3.6" r="1.9" />,
    <circle key="c" cx="12.4" cy="12.4" r="1.9" />,
    <path key="l" d="m5.2 7.2 5.5-2.7M5.2 8.8l5.5 2.7" />,
  ],
  filter: [<path key="f" d="M2 3.5h12M4.5 8h7M6.8 12.5h2.4" />],
  link: [
    <path key="l" d="M6.8 9.2 9.2 6.8M7.2 4.8l1.6-1.6a2.9 2.9 0 0 1 4 4l-1.6 1.6M8.8 11.2l-1.6 1.6a2.9 2.9 0 0 1-4-4l1.6-1.6" />,
  ],
  warning: [<path key="t" d="M8 2.2 14.4 13.4H1.6z" />, <path key="m" d="M8 6.4v3.2M8 11.5h.01" />],
  play: [<path key="p" d="M4.5 2.8 13 8l-8.5 5.2z" />],
  eyeOff: [
    <path
      key="e"
      d="M2 2l12 12M6.5 6.6a2 2 0 0 0 2.8 2.8M4.4 4.6A9.6 9.6 0 0 0 1.5 8S4 12.5 8 12.5a6.6 6.6 0 0 0 3.2-.9M7 3.6c.3 0 .7-.1 1-.1 4 0 6.5 4.5 6.5 4.5a10 10 0 0 1-1.7 2.2"
    />,
  ],
  ban: [circle, <path key="b" d="m3.8 3.8 8.4 8.4" />],
  people: [
    <circle key="h" cx="6" cy="5.4" r="2.4" />,
    <path key="b" d="M1.6 13.2c.4-2.6 2-4 4.4-4s4 1.4 4.4 4M10.6 3.3a2.3 2.3 0 0 1 0 4.2M12.2 9.6c1.3.6 2 1.8 2.2 3.6" />,
  ],
  person: [<circle key="h" cx="8" cy="5.4" r="2.6" />, <path key="b" d="M3 13.6c.5-2.8 2.3-4.2 5-4.2s4.5 1.4 5 4.2" />],
  signOut: [<path key="s" d="M6.5 2.5h-4v11h4M6 8h8M11 5l3 3-3 3" />],
  failed: [circle, <path key="x" d="m5.8 5.8 4.4 4.4M10.2 5.8l-4.4 4.4" />],
  target: [circle, <circle key="i" cx="8" cy="8" r="2.6" />, <path key="l" d="M8 1v2.5M8 12.5V15M1 8h2.5M12.5 8H15" />],
  pause: [<path key="p" d="M5.5 3v10M10.5 3v10" />],
  pencil: [<path key="p" d="M2.8 13.2l.6-2.8 7.2-7.2a1.5 1.5 0 0 1 2.2 2.2l-7.2 7.2zM9.4 4.4l2.2 2.2" />],
  trash: [<path key="t" d="M2.5 4h11M6 4V2.5h4V4M4 4l.7 9.5h6.6L12 4M6.7 6.8v4M9.3 6.8v4" />],
  wrench: [
    <path
      key="w"
      d="M10.2 2.3a3.6 3.6 0 0 0-3.4 4.9l-4.5 4.5a1.4 1.4 0 0 0 2 2l4.5-4.5a3.6 3.6 0 0 0 4.8-4.6l-2.1 2.1-1.8-.4-.4-1.8 2.1-2.1c-.4-.1-.8-.1-1.2-.1z"
    />,
  ],
  rows: [
    <rect key="a" x="2.5" y="2.5" width="11" height="4.5" rx="1" />,
    <rect key="b" x="2.5" y="9" width="11" height="4.5" rx="1" />,
    <path key="d" d="M5 4.75h.01M5 11.25h.01" />,
  ],
  bell: [<path key="b" d="M4 11V7a4 4 0 0 1 8 0v4l1.2 1.6H2.8zM6.7 14.2h2.6" />],
  dots: [<path key="d" d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2" />],
} as const satisfies Record<string, ReactNode>;

export type IconName = keyof typeof PATHS;

interface IconProps {
  name: IconName;
  size?: number;
  className?: string;
}

/** Decoration only: the word always stands beside it or in the control's label. */
export function Icon({ name, size = 16, className }: IconProps) {
  return (
    <svg className={className ? `ic ${className}` : 'ic'} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {PATHS[name]}
    </svg>
  );
}
