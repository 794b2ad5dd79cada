import type { PlannedSecret, PlannedTest } from '@svc/contracts/tests/plan';
import { type PlannedTestMessage, type PlanPart, RUNNER_BOUNDS } from '@svc/contracts/tests/runner-messages';
import { sealedSecretInfo } from '@svc/contracts/tests/sealed-secret';
import { sealToKey } from '#crypto';
import type { PlanChange } from '../domain/plan-diff.ts';

/** Whom a plan is for: its secrets are sealed to the key of its certificate. */
export interface PlanRecipient {
  tenant: string;
  runnerId: string;
  /** SubjectPublicKeyInfo, DER. */
  spki: Buffer;
}

/** Seals each secret once, however many tests refer to it: each costs a key agreement. */
function createSealing({ tenant, runnerId, spki }: PlanRecipient) {
  const sealed = new Map<PlannedSecret, Buffer>();
  return (secret: PlannedSecret): Buffer => {
    const { name, value } = secret;
    const made = sealed.get(secret) ?? sealToKey(spki, value, sealedSecretInfo({ tenant, runnerId, name }));
    sealed.set(secret, made);
    return made;
  };
}

export const encodePlanned = (
  { test, secrets }: PlannedTest,
  to: PlanRecipient,
  seal = createSealing(to),
): PlannedTestMessage => ({
  test_json: Buffer.from(JSON.stringify(test), 'utf8'),
  secrets: secrets.map((secret) => ({ name: secret.name, hosts: [...secret.hosts], sealed: seal(secret) })),
});

const weightOf = ({ test_json, secrets }: PlannedTestMessage): number =>
  secrets.reduce((sum, { sealed, hosts }) => sum + sealed.length + hosts.join().length + 200, test_json.length + 16);

interface PartsOptions {
  to: PlanRecipient;
  revision: number;
  anew: boolean;
}

/** A change in parts that each fit a message, the last one marked; secrets are sealed as parts are taken. */
export function* planParts({ put, remove }: PlanChange, { to, revision, anew }: PartsOptions): Generator<PlanPart> {
  let tests: PlannedTestMessage[] = [];
  let bytes = 0;
  let isFirst = true;
  const seal = createSealing(to);
  const part = (last: boolean): PlanPart => {
    const made = { revision, anew: anew && isFirst, put: tests, removed: isFirst ? remove.splice(0, 5000) : [], last };
    isFirst = false;
    [tests, bytes] = [[], 0];
    return made;
  };
  // Removals that do not fit one part have parts of their own.
  while (remove.length > 5000) yield { revision, anew: false, put: [], removed: remove.splice(0, 5000), last: false };
  for (const planned of put) {
    const message = encodePlanned(planned, to, seal);
    const weight = weightOf(message);
    if (tests.length > 0 && (bytes + weight > RUNNER_BOUNDS.planBytes || tests.length >= RUNNER_BOUNDS.planTests))
      yield part(false);
    tests.push(message);
    bytes += weight;
  }
  yield part(true);
}
