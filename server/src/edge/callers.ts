import type { FastifyRequest } from 'fastify';
import { AppError, networkOf, type Principal } from '#kernel';
import { createWrongCredentials, digestOf, type KnownCredentials } from './credentials.ts';
import { demand, perMinute } from './rate-counter.ts';

/** Of a principal's budget: its tenant's. */
export const TENANT_FACTOR = 10;
/** Look-ups of unknown credentials from all addresses together, beyond those that each address may have in any case. */
const LOOK_UPS_FACTOR = 20;
const ENSURED_PART = 0.1;

/** Bounds who calls procedures. */
export interface Callers {
  /**
   * Before a credential is looked up, which costs a query. One that was valid before is counted for its owner at once, any other for its address;
   * AppError `rate_limited` when that budget is used up, `unauthorized` for one that was looked up in vain a moment ago. Gives what is
   * called when the principal is known; undefined for nobody.
   */
  admit(
    request: Pick<FastifyRequest, 'ip'>,
    credential: string | undefined,
    calls: number,
  ): (principal: Principal | undefined) => void;
}

export const UNBOUNDED: Callers = { admit: () => () => {} };

export const nobody = (): AppError => new AppError('unauthorized', 'Sign in, or send a valid API token.');

const WITHOUT = 'without a valid credential';

/** Budgets of addresses, for what is not known to be valid. */
function createAddresses(ratePerMinute: number) {
  const together = ratePerMinute * LOOK_UPS_FACTOR;
  const [lookUps, refusals] = [perMinute(ratePerMinute), perMinute(ratePerMinute)];
  const [ensured, everybody] = [perMinute(Math.ceil(ratePerMinute * ENSURED_PART)), perMinute(together)];
  return {
    takeLookUp(network: string): void {
      demand(lookUps.take(network), ratePerMinute, `from this address ${WITHOUT}`);
      if (ensured.take(network) === 0) return;
      demand(everybody.take('everybody'), together, `from all addresses together ${WITHOUT}`);
    },
    giveBack: (network: string): void => lookUps.giveBack(network),
    /** What is refused without a look-up has a budget apart: a client that repeats a revoked token shuts out nobody at its address. */
    takeRefusal: (network: string): void => demand(refusals.take(network), ratePerMinute, `from this address ${WITHOUT}`),
  };
}

export function createCallers(ratePerMinute: number, known: KnownCredentials): Callers {
  const addresses = createAddresses(ratePerMinute);
  const wrong = createWrongCredentials();
  const principals = perMinute(ratePerMinute);
  const tenantMax = ratePerMinute * TENANT_FACTOR;
  const tenants = perMinute(tenantMax);
  const take = ({ tenant, id }: Pick<Principal, 'tenant' | 'id'>, calls: number): void => {
    demand(principals.take(`${tenant}/${id}`, calls), ratePerMinute, 'by one principal');
    demand(tenants.take(tenant, calls), tenantMax, 'by one tenant');
  };
  return {
    admit({ ip }, credential, calls) {
      const network = networkOf(ip);
      const digest = credential === undefined ? undefined : digestOf(credential);
      const owner = digest === undefined ? undefined : known.find(digest);
      if (owner) take(owner, calls);
      else if (digest !== undefined && wrong.has(digest)) {
        addresses.takeRefusal(network);
        throw nobody();
      } else addresses.takeLookUp(network);
      return (principal) => {
        if (!principal) {
          if (digest === undefined) return;
          known.drop(digest);
          wrong.add(digest);
          return;
        }
        if (digest !== undefined) known.keep(digest, principal);
        // A session that has moved to another tenant since.
        if (owner?.tenant === principal.tenant && owner.id === principal.id) return;
        if (!owner) addresses.giveBack(network);
        take(principal, calls);
      };
    },
  };
}
