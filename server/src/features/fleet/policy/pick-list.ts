import type { PickListEntry } from '../api.ts';

/** What the first-run page offers to trace. Data only: nothing here is contacted by anybody until a person chooses it. */
export const PICK_LIST: readonly PickListEntry[] = [
  {
    id: 'cloudflare',
    label: 'Cloudflare DNS',
    operator: 'Cloudflare',
    kind: 'trace',
    target: '1.1.1.1',
    why: 'Anycast: answers from near most networks, so the path shows your own line and provider.',
  },
  {
    id: 'google',
    label: 'Google Public DNS',
    operator: 'Google',
    kind: 'trace',
    target: '8.8.8.8',
    why: 'Anycast, reached over other networks than the first: tells one path from all paths.',
  },
  {
    id: 'quad9',
    label: 'Quad9',
    operator: 'Quad9 Foundation',
    kind: 'trace',
    target: '9.9.9.9',
    why: 'Anycast, run by a non-profit in Switzerland.',
  },
];
