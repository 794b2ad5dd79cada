import type { LedgerResult } from '@svc/contracts/agent/ipc';

export interface ResultLine {
  name: string;
  before: string | null;
  sent: string | null;
  changed: boolean;
}

/** Inner braces add nothing for a reader: `attributes.ssid` reads `ssid`. */
const PARTS = ['attributes', 'metrics'];

function flatten(text: string): Map<string, string> {
  const flat = new Map<string, string>();
  const add = (value: unknown, name: string): void => {
    if (value !== null && typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) add(inner, PARTS.includes(name) || name === '' ? key : `${name}.${key}`);
    } else flat.set(name, String(value));
  };
  try {
    add(JSON.parse(text), '');
  } catch {
    // A record that somebody edited is shown as it stands.
    flat.set('', text);
  }
  return flat;
}

/** `unavailable.wifi.ssid: withheld` is what was sent in the place of `wifi.ssid`. */
const placeholderOf = (name: string): string => `unavailable.${name}`;

/** A result line by line as it was measured and as it was sent, what differs first. */
export function compareResult({ before, sent }: LedgerResult): ResultLine[] {
  const [measured, left] = [flatten(before), flatten(sent)];
  const names = new Set([...measured.keys(), ...left.keys()]);
  const lines = [...names]
    .filter((name) => !(name.startsWith('unavailable.') && measured.has(name.slice('unavailable.'.length))))
    .map((name): ResultLine => {
      const was = measured.get(name) ?? null;
      const is = left.get(name) ?? left.get(placeholderOf(name)) ?? null;
      return { name, before: was, sent: is, changed: was !== is };
    });
  return [...lines.filter((line) => line.changed), ...lines.filter((line) => !line.changed)];
}

/** Kind and target of a result, such as `lastmile` and `crm.example`. */
export function headOf({ before }: LedgerResult): { type: string; target: string } {
  const flat = flatten(before);
  return { type: (flat.get('canary_type') ?? '').replace('endpoint.', ''), target: flat.get('server_address') ?? '' };
}
