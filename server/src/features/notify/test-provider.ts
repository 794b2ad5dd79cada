import type { ProviderKind, Verb } from '@svc/contracts/notify/kinds';
import {
  AppError,
  type Capabilities,
  type Message,
  type ObjectState,
  type Outcome,
  type Pace,
  type Provider,
  type Reference,
} from '#kernel';

/** What a call does instead of succeeding; `then` lets it be processed first. */
export type Fault = { outcome: Outcome; isProcessed: boolean };

export const cutAfter: Fault = { outcome: { is: 'ambiguous', said: 'cut' }, isProcessed: true };
export const cutBefore: Fault = { outcome: { is: 'ambiguous', said: 'cut' }, isProcessed: false };
export const failing: Fault = { outcome: { is: 'retry', afterMs: null, said: '503 Service unavailable' }, isProcessed: false };

interface Thing {
  id: string;
  key: string;
  state: Exclude<ObjectState, 'unknown'>;
  opens: number;
  updates: number;
  repeats: number;
}

const CAPABILITIES: Capabilities = {
  ...{ hasKey: false, canBeFound: true, canUpdate: true, canAcknowledge: true, canResolve: true, reopens: 'same' },
  ...{ confirms: false, canLook: true },
};
const PACE: Pace = { perMinute: 60_000, concurrency: 4, burst: 1000, gathers: 1 };

const toReference = ({ id }: Thing): Reference => ({ id, label: `OPS-${id}`, url: `https://tickets.example/${id}` });
const DONE: Readonly<Record<'acknowledge' | 'resolve' | 'reopen', Thing['state']>> = {
  ...{ acknowledge: 'acknowledged', resolve: 'resolved', reopen: 'open' },
};

/** Objects as they are kept far away. */
function createThings(capabilities: Capabilities) {
  const things: Thing[] = [];
  const own = (key: string): Thing | undefined => things.findLast((one) => one.key === key && one.state !== 'gone');

  function open(message: Message): Reference {
    const known = capabilities.hasKey ? things.find((one) => one.key === message.key && one.state !== 'resolved') : undefined;
    if (known) return toReference(known);
    const thing: Thing = {
      ...{ id: String(things.length + 1), key: message.key, state: 'open', opens: 1, updates: 0 },
      repeats: message.isPossibleRepeat ? 1 : 0,
    };
    things.push(thing);
    return toReference(thing);
  }

  return {
    things,
    own,
    process(verb: Verb, message: Message, reference: Reference | null): Outcome {
      if (verb === 'open') return { is: 'sent', reference: open(message), said: '201 Created' };
      const thing = reference ? things.find(({ id }) => id === reference.id) : own(message.key);
      if (!thing && reference === null) return { is: 'sent', reference: null, said: '200 OK' };
      if (!thing || thing.state === 'gone') return { is: 'gone', said: '404 Not found' };
      if (verb === 'update') thing.updates += 1;
      else thing.state = DONE[verb];
      return { is: 'sent', reference: null, said: '200 OK' };
    },
  };
}

const FIELDS = ['url', 'credential', 'project'].map((name) => ({
  ...{ name, label: name, help: '', is_secret: name === 'credential', is_required: name === 'credential' },
  ...{ fallback: null, choices: null, placeholder: '' },
}));

const parse: Provider['parse'] = (values) => {
  if (values.credential !== '') return values;
  throw new AppError('validation', 'wrong', { faults: [{ path: 'credential', message: 'is missing' }] });
};

/** How it answers, as the test says. */
function createTemper() {
  const faults: Fault[] = [];
  let hold: Promise<void> | undefined;
  let rejects: string | undefined;
  return {
    faults,
    held: async (): Promise<void> => await hold,
    isRejected: (credential: string): boolean => rejects === credential,
    /** Calls wait until it is let go. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      hold = promise;
      return () => {
        hold = undefined;
        resolve();
      };
    },
    reject(credential: string | undefined): void {
      rejects = credential;
    },
  };
}

interface Call {
  verb: Verb | 'find' | 'look';
  message: Message | undefined;
  credential: string;
  url?: string;
}

/** A provider that keeps objects as one far away would, and fails as the test says. */
export function createTestProvider(kind: ProviderKind, given: Partial<Capabilities> = {}, pace: Partial<Pace> = {}) {
  const capabilities = { ...CAPABILITIES, ...given };
  const { things, own, process } = createThings(capabilities);
  const { faults, held, isRejected, hold, reject } = createTemper();
  const calls: Call[] = [];
  const broken: Outcome = { is: 'broken_credential', said: '401 Unauthorized' };
  const call =
    (verb: Verb) =>
    async (to: { credential: string; url: string }, message: Message, reference: Reference | null = null): Promise<Outcome> => {
      calls.push({ verb, message, credential: to.credential, url: to.url });
      await held();
      if (isRejected(to.credential)) return broken;
      const fault = faults.shift();
      if (!fault) return process(verb, message, reference);
      if (fault.isProcessed) process(verb, message, reference);
      return fault.outcome;
    };
  const provider: Provider = {
    ...{ kind, name: `Test ${kind}`, testWarning: '', fields: FIELDS, parse },
    capabilities: () => capabilities,
    pace: () => ({ ...PACE, ...pace }),
    check: async ({ credential }) => (isRejected(credential) ? broken : { is: 'sent', reference: null, said: 'ok' }),
    ...{ open: call('open'), update: call('update'), acknowledge: call('acknowledge') },
    ...{ resolve: call('resolve'), reopen: call('reopen') },
    async find({ credential }, message) {
      calls.push({ verb: 'find', message, credential });
      const found = own(message.key);
      return found && found.id !== message.former?.id ? { is: 'found', reference: toReference(found) } : { is: 'absent' };
    },
    confirm: async () => ({ is: 'confirmed', reference: null, said: 'done' }),
    async look({ credential }, reference) {
      calls.push({ verb: 'look', message: undefined, credential });
      return things.find(({ id }) => id === reference.id)?.state ?? 'gone';
    },
  };
  return { provider, things, calls, faults, verbs: () => calls.map(({ verb }) => verb), hold, reject };
}

export type TestProvider = ReturnType<typeof createTestProvider>;
