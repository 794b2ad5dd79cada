import { AgentError, messageOf } from '../agent-error.ts';
import type { DeviceFacts, EnrollInput, RenewInput } from './enroll.ts';
import { type Credentials, needsRenewal } from './identity.ts';
import type { IdentityStore } from './identity-store.ts';

export interface KeeperDeps {
  store: IdentityStore;
  /** Throws AgentError, as `renew` does. Both may run in a process of their own. */
  enroll(input: EnrollInput): Promise<Credentials>;
  renew(input: RenewInput): Promise<Credentials>;
  now(): number;
  facts(): Promise<DeviceFacts>;
  /** Where to enrol and with what, once; undefined where nobody handed a token over. */
  takeToken(): Promise<{ server: string; token: string } | undefined>;
  log(message: string): void;
}

/** Holds this device's identity: enrols where there is none, renews in time, and again once where the server forgot it. */
export interface Keeper {
  /** The identity as held now, without asking anybody. */
  current(): Credentials | undefined;
  /** Credentials whose certificate is valid. Throws AgentError. */
  credentials(): Promise<Credentials>;
  renewNow(): Promise<void>;
  /** A certificate, or an enrolment, that the server takes, after it ended a connection for this reason. */
  recover(ending: { kind: string }): Promise<void>;
}

const NOT_ENROLLED = 'This device is not enrolled: run "svc-agent enroll --server URL --token T" with a token from the console.';

/** After these the same token may still work; any other refusal is final for it. */
const WORTH_ANOTHER_TRY: readonly AgentError['code'][] = [
  'unreachable',
  'unavailable',
  'rate_limited',
  'internal',
  'writer_unavailable',
];

/** Enrols with the token that was handed over: it is asked for once and kept until it was used or refused. */
function createEnrol(deps: KeeperDeps): () => Promise<Credentials> {
  let given: { server: string; token: string } | undefined;
  return async () => {
    given ??= await deps.takeToken();
    if (!given) throw new AgentError('not_found', NOT_ENROLLED);
    const keyPem = await deps.store.loadKey();
    const input = { ...given, facts: await deps.facts(), ...(keyPem === undefined ? {} : { keyPem }) };
    try {
      const fresh = await deps.enroll(input);
      given = undefined;
      await deps.store.save(fresh);
      deps.log(`Enrolled as ${fresh.identity.agentId} of tenant ${fresh.identity.tenantId}.`);
      return fresh;
    } catch (error) {
      if (!(error instanceof AgentError) || !WORTH_ANOTHER_TRY.includes(error.code)) given = undefined;
      throw error;
    }
  };
}

export async function createKeeper(deps: KeeperDeps): Promise<Keeper> {
  let held = await deps.store.load();
  let renewing: Promise<Credentials> | undefined;

  const enrolOnce = createEnrol(deps);
  const enrol = async (): Promise<Credentials> => {
    held = await enrolOnce();
    return held;
  };
  const renew = (): Promise<Credentials> => {
    renewing ??= renewHeld().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  async function renewHeld(): Promise<Credentials> {
    if (!held) return await enrol();
    try {
      held = await deps.renew({ credentials: held });
      await deps.store.save(held);
      deps.log(`Certificate renewed, valid until ${held.identity.notAfter}.`);
      return held;
    } catch (error) {
      // The server no longer knows this agent, as after its data were thrown away: a token in hand makes it known again, once.
      if (error instanceof AgentError && error.code === 'not_found') return await enrol();
      throw error;
    }
  }

  return {
    current: () => held,
    async credentials() {
      if (!held) return await enrol();
      if (!needsRenewal(held.identity, deps.now())) return held;
      try {
        return await renew();
      } catch (error) {
        // In the last hours of its life a certificate still works; the next connection tries again.
        if (Date.parse(held.identity.notAfter) <= deps.now()) throw error;
        deps.log(`The certificate could not be renewed yet: ${messageOf(error)}`);
        return held;
      }
    },
    renewNow: async () => {
      await renew();
    },
    async recover(ending) {
      if (ending.kind === 'unknown_agent') await enrol();
      else await renew();
    },
  };
}
