import type { HTTP_METHODS } from '@svc/contracts/tests/params/http';
import type { DNS_RECORDS } from '@svc/contracts/tests/params/network';
import type { RunnerChoice } from '@svc/contracts/tests/test';
import { has } from './item.ts';
import type { Part } from './split-tests.ts';

/** What the words of one segment say of its test. */
export interface Details {
  everyMs?: number;
  timeoutMs?: number;
  /** Milliseconds by what is bounded. */
  bounds: Partial<Record<'total' | 'dns' | 'connect' | 'tls' | 'first_byte' | 'jitter' | 'trip', number>>;
  lossRatio?: number;
  packets?: number;
  statuses: string[];
  /** That it must not answer. */
  refusedStatuses: string[];
  contains: string[];
  notContains: string[];
  sent: { name: string; value: string }[];
  headers: { name: string; equals?: string }[];
  json: { path: string; equals?: string | number | boolean }[];
  certificateDays?: number;
  redirectTo?: string;
  keepsRedirect?: boolean;
  body?: string;
  method?: (typeof HTTP_METHODS)[number];
  family?: 4 | 6;
  ports: { port: number; protocol?: 'tcp' | 'udp' }[];
  records: (typeof DNS_RECORDS)[number][];
  resolver?: string;
  answers: string[];
  isAbsent: boolean;
  acceptsInvalid: boolean;
  steps: object[];
  runners?: RunnerChoice;
  failWhen?: number;
  failingAfter?: number;
  name?: string;
  /** What cannot be made of it, each a whole sentence. */
  faults: string[];
  /** What is not clear, each a whole sentence that asks for it. */
  unclear: string[];
}

export const newDetails = (): Details => ({
  ...{ bounds: {}, statuses: [], refusedStatuses: [], contains: [], notContains: [], sent: [], headers: [], json: [] },
  ...{ ports: [], records: [], answers: [], isAbsent: false, acceptsInvalid: false, steps: [], faults: [], unclear: [] },
});

/** The nearest items before one, the nearest first, as far as the sentence and `stops` go. */
export function before(
  items: readonly Part[],
  at: number,
  { most, stops }: { most: number; stops?: (item: Part) => boolean },
): Part[] {
  const found: Part[] = [];
  for (let i = at - 1; i >= 0 && found.length < most; i -= 1) {
    const item = items[i] as Part;
    if ((item.kind === 'mark' && '.;!?'.includes(item.text)) || stops?.(item)) break;
    if (item.kind !== 'mark') found.push(item);
  }
  return found;
}

export function behind(
  items: readonly Part[],
  at: number,
  { most, stops }: { most: number; stops?: (item: Part) => boolean },
): Part[] {
  const found: Part[] = [];
  for (let i = at + 1; i < items.length && found.length < most; i += 1) {
    const item = items[i] as Part;
    if ((item.kind === 'mark' && '.;!?'.includes(item.text)) || stops?.(item)) break;
    if (item.kind !== 'mark') found.push(item);
  }
  return found;
}

export const some = (items: readonly Part[], ...tags: string[]): boolean => items.some((item) => has(item, ...tags));

const feared = new WeakMap<readonly Part[], readonly boolean[]>();

/** Whether what stands at a place is what somebody wants to be told of, such as `warn me if it answers 500`; read once for all items. */
export function isFeared(items: readonly Part[], at: number): boolean {
  let known = feared.get(items);
  if (!known) {
    let isAlert = false;
    let isFear = false;
    known = items.map((item) => {
      const isHere = isFear;
      if (item.kind === 'mark' && '.;'.includes(item.text)) [isAlert, isFear] = [false, false];
      if (has(item, 'alert')) isAlert = true;
      if (isAlert && has(item, 'when')) isFear = true;
      if (has(item, 'other')) isFear = false;
      return isHere;
    });
    feared.set(items, known);
  }
  return known[at] ?? false;
}
