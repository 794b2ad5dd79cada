import type { DnsParams } from '@svc/contracts/tests/params/network';
import { splitHostPort } from '@svc/contracts/tests/target';
import { readingValue } from '@svc/native/reading';
import { readResolvers } from '@svc/native/resolvers/index';
import { checkBounds, checkMatch, note } from '../checks/assert.ts';
import { authorityOf, dial, findAddresses } from '../connect/dial.ts';
import { secure } from '../connect/secure.ts';
import { trustFor } from '../connect/trust.ts';
import { judgeInTurn } from '../cpu.ts';
import { endPhase, inPhase, type Run } from '../run.ts';
import { cut, RunFailure } from '../run-failure.ts';
import type { TargetGuard } from '../safety/target-guard.ts';
import { askStream, askUdp } from './ask.ts';
import { createQuery, type Query, type Response } from './query.ts';
import { comparable, type RecordText, recordText } from './record-text.ts';

const PORTS = { udp: 53, tcp: 53, tls: 853 } as const;
const MAX_OWN = 3;
const OPEN: TargetGuard = { refuse: () => undefined };

interface Asked {
  /** Name or address of the name server. */
  readonly host: string;
  readonly port: number;
  /** The runner's own: everybody's names are looked up there, whatever its address is. */
  readonly guard?: TargetGuard;
}

async function serversOf(run: Run, params: DnsParams): Promise<Asked[]> {
  const usual = PORTS[params.transport];
  if (params.resolver !== undefined) {
    const { host = params.resolver, port = usual } = splitHostPort(params.resolver) ?? {};
    return [{ host, port }];
  }
  const own = run.tools.resolvers ?? readingValue(await readResolvers())?.servers ?? [];
  if (own.length === 0) throw new RunFailure('not_capable', 'This runner has no name servers of its own. Name one in the test.');
  return own.slice(0, MAX_OWN).map((text) => {
    const { host = text, port = usual } = splitHostPort(text) ?? {};
    return { host, port, guard: OPEN };
  });
}

interface Asking {
  readonly query: Query;
  readonly params: DnsParams;
  readonly signal: AbortSignal;
}

async function askServer(run: Run, asked: Asked, { query, params, signal }: Asking): Promise<Response> {
  const { host, port } = asked;
  if (params.transport === 'udp') {
    const [address = host] = await findAddresses(run, { ...asked, family: 0 });
    Object.assign(run, { address, port });
    const response = await inPhase(run, 'first_byte', () => askUdp({ address, port }, query, signal));
    if (!response.isTruncated) return response;
    run.figures['dns.truncated'] = 1;
  }
  const context = params.transport === 'tls' ? trustFor(run, params.tls, host) : undefined;
  const socket = await dial(run, { ...asked, family: 0 });
  try {
    const wish = { name: params.tls.server_name ?? host, acceptInvalid: params.tls.accept_invalid, protocols: ['dot'] };
    const over = context ? await secure(run, socket, { ...wish, context }) : socket;
    const where = authorityOf(run.address ?? host, port);
    return await inPhase(run, 'first_byte', () => askStream(over, query, { where, signal }));
  } finally {
    socket.destroy();
  }
}

const NEXT = new Set(['no_answer', 'port_unreachable', 'refused', 'unroutable']);

/** The servers in turn, each for its share of the time; the last one's failure is the run's. */
async function ask(run: Run, query: Query, params: DnsParams): Promise<Response> {
  const servers = await serversOf(run, params);
  for (const [i, server] of servers.entries()) {
    const isLast = i === servers.length - 1;
    const leftMs = Math.max(1, run.startedMs + run.timeoutMs - performance.now());
    const limit = AbortSignal.timeout(Math.ceil(leftMs / (servers.length - i)));
    const signal = isLast ? run.signal : AbortSignal.any([run.signal, limit]);
    try {
      return await askServer(run, server, { query, params, signal });
    } catch (error) {
      const mayGoOn = limit.aborted || (error instanceof RunFailure && NEXT.has(error.fault));
      if (isLast || run.signal.aborted || !mayGoOn) throw error;
      endPhase(run);
    }
  }
  throw new RunFailure('no_answer', 'No name server answered.');
}

function tell(run: Run, response: Response): RecordText[] {
  const records = response.answers.map(recordText);
  const lines = records.map(({ name, ttl, type, data }) => `${name} ${ttl} IN ${type} ${data}`);
  const flags = response.isAuthentic ? ' ad' : '';
  run.evidence.dns_answer = cut(`;; ${response.code}${flags}, ${records.length} records\n${lines.join('\n')}`.trimEnd(), 4096);
  run.figures.bytes = response.bytes;
  run.figures['dns.answers'] = records.length;
  return records;
}

const list = (texts: readonly string[]): string => (texts.length === 0 ? 'none' : texts.join(', '));

function checkAnswers(run: Run, records: readonly RecordText[], params: DnsParams): void {
  const { answers_include, answers_equal, answers_match, code } = params.assertions;
  const given = records.map(({ data }) => data);
  const known = new Set(given.map((data) => comparable(data, params.record)));
  const got = list(given);
  for (const wanted of answers_include)
    note(run, {
      rule: 'answers_include',
      wanted: `${wanted} among the answers`,
      got,
      passed: known.has(comparable(wanted, params.record)),
    });
  if (answers_equal) {
    const wanted = new Set(answers_equal.map((answer) => comparable(answer, params.record)));
    const passed = wanted.size === known.size && [...wanted].every((answer) => known.has(answer));
    note(run, { rule: 'answers_equal', wanted: `${list(answers_equal)} and nothing else`, got, passed });
  }
  if (answers_match !== undefined)
    checkMatch(run, 'answers_match', { pattern: answers_match, text: given.join('\n'), what: 'answers' });
  if (code === 'NOERROR' && !answers_equal)
    note(run, { rule: 'answers', wanted: `a record of type ${params.record}`, got, passed: given.length > 0 });
}

function check(run: Run, response: Response, params: DnsParams): void {
  const all = tell(run, response);
  const records = all.filter(({ type }) => type === params.record);
  const { code, ttl_min_seconds: least, ttl_max_seconds: most, authenticated } = params.assertions;
  note(run, { rule: 'code', wanted: code, got: response.code, passed: response.code === code });
  if (response.code === code) checkAnswers(run, records, params);
  const ttls = records.map(({ ttl }) => ttl);
  if (ttls.length > 0) run.figures['ttl.seconds'] = Math.min(...ttls);
  const ttl = list([...new Set(ttls)].map((seconds) => `${seconds} s`));
  if (least !== undefined)
    note(run, {
      rule: 'ttl_min_seconds',
      wanted: `TTL of ${least} s or more`,
      got: ttl,
      passed: ttls.length > 0 && ttls.every((one) => one >= least),
    });
  if (most !== undefined)
    note(run, {
      rule: 'ttl_max_seconds',
      wanted: `TTL of ${most} s or less`,
      got: ttl,
      passed: ttls.length > 0 && ttls.every((one) => one <= most),
    });
  if (authenticated !== undefined) {
    const words = (is: boolean): string => (is ? 'authenticated (AD)' : 'not authenticated');
    note(run, {
      rule: 'authenticated',
      wanted: words(authenticated),
      got: words(response.isAuthentic),
      passed: response.isAuthentic === authenticated,
    });
  }
  checkBounds(run, params.assertions);
}

export async function runDns(run: Run, target: string, params: DnsParams): Promise<void> {
  const query = createQuery(target, params);
  const response = await ask(run, query, params);
  await judgeInTurn(run, () => check(run, response, params));
}
