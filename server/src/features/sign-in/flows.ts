import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomToken } from '#crypto';
import type { Clock } from '#kernel';
import type { Artifacts } from './artifacts.ts';
import type { Cookies, Sessions } from './context.ts';
import type { SignInSecrets } from './relying-party.ts';

const MODEL = 'SignIn';
const FLOW_SECONDS = 600;
/** Sign-ins that one browser may have under way, one for each tab; about 80 bytes of cookies each. */
const MAX_FLOWS = 8;
const NAME_START = 'flow_';
/** Of the state, for the name of its cookie: enough to tell tabs apart. The whole state is compared when the provider answers. */
const NAME_LENGTH = 12;

/** One sign-in under way. */
export interface Flow {
  secrets: SignInSecrets;
  returnTo: string;
  link: string | undefined;
  tenant: string | undefined;
  /** Milliseconds. */
  startedAtMs: number;
}

interface FlowDeps {
  artifacts: Artifacts;
  cookies: Cookies;
  sessions: Pick<Sessions, 'find' | 'list'>;
  clock: Clock;
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };

const cookieOf = (state: string): string | undefined =>
  /^[\w-]{12,200}$/.test(state) ? `${NAME_START}${state.slice(0, NAME_LENGTH)}` : undefined;

/** Sign-ins under way, each with a cookie of its own that its state names: tabs of one browser sign in beside each other. */
export function createFlows({ artifacts, cookies, sessions, clock }: FlowDeps) {
  const findId = (request: FastifyRequest, state: string): { cookie: string; id: string } | undefined => {
    const cookie = cookieOf(state);
    const id = cookie === undefined ? undefined : cookies.read(request, cookie);
    return cookie === undefined || id === undefined ? undefined : { cookie, id };
  };

  /** Taken, not read: an answer of the identity provider is good for one try. Undefined when this browser began no such sign-in. */
  const take = async ({ request, reply }: Exchange, state: string): Promise<Flow | undefined> => {
    const found = findId(request, state);
    if (!found) return undefined;
    cookies.clear(reply, found.cookie);
    return await artifacts.take<Flow>(MODEL, found.id);
  };

  const findSession = async (request: FastifyRequest) => {
    const secret = cookies.read(request, 'session');
    return secret === undefined ? undefined : await sessions.find(secret);
  };

  return {
    take,

    /** Binds it to this browser; of those that the browser began before, the oldest beyond the bound end. */
    async begin({ request, reply }: Exchange, flow: Omit<Flow, 'startedAtMs'>): Promise<void> {
      const cookie = cookieOf(flow.secrets.state);
      if (cookie === undefined) throw new Error('a state that names no cookie');
      // Browsers send the oldest first. A name of ours has exactly this form, so that nothing else is written back.
      const before = cookies.names(request).filter((name) => cookieOf(name.slice(NAME_START.length)) === name);
      for (const name of before.slice(0, Math.max(0, before.length + 1 - MAX_FLOWS))) cookies.clear(reply, name);
      const id = randomToken(32);
      const value: Flow = { ...flow, startedAtMs: clock.now() };
      await artifacts.put(MODEL, id, { value, lifeSeconds: FLOW_SECONDS });
      cookies.set(reply, cookie, { value: id, maxAgeSeconds: FLOW_SECONDS });
    },

    isSignedIn: async (request: FastifyRequest): Promise<boolean> => (await findSession(request)) !== undefined,

    /**
     * Where a sign-in leads whose browser was signed in by another tab since it began; undefined when it has to go on. One that joins a
     * tenant always goes on: its person may be another one.
     */
    async findWayPast({ request, reply }: Exchange, state: string): Promise<string | undefined> {
      const found = findId(request, state);
      const session = found && (await findSession(request));
      const flow = session && (await artifacts.find<Flow>(MODEL, found.id));
      if (!flow || flow.secrets.state !== state || flow.link !== undefined || flow.tenant !== undefined) return undefined;
      const since = (await sessions.list(session.account_id)).find(({ id }) => id === session.id)?.created_at.getTime() ?? 0;
      if (since <= flow.startedAtMs) return undefined;
      return (await take({ request, reply }, state))?.returnTo;
    },
  };
}

export type Flows = ReturnType<typeof createFlows>;
