import type { Kind } from './choose-type.ts';
import type { Details } from './details.ts';
import type { DraftWriter } from './draft.ts';

/** The parameters of each type, out of what was said; what has no place in one is a fault and never left out in silence. */

type Said = ReadonlySet<string>;
interface Writing {
  draft: DraftWriter;
  details: Details;
  kind: Kind;
  said: Said;
}

const list = <T>(values: readonly T[]): T[] | undefined => (values.length > 0 ? [...new Set(values)] : undefined);

const NO_TEXT = 'has no text, status or header to look at. Name the URL of a page for that.';

function refuse(draft: DraftWriter, what: string, given: readonly unknown[]): void {
  if (given.some((value) => value !== undefined && !(Array.isArray(value) && value.length === 0))) draft.faults.push(what);
}

const webDetails = ({
  statuses,
  refusedStatuses,
  notContains,
  sent,
  headers,
  json,
  method,
  keepsRedirect,
}: Details): unknown[] => [...[statuses, refusedStatuses, notContains, sent, headers, json], ...[method, keepsRedirect]];

/** What may be answered instead of what must not. */
function statusesBut(refused: readonly string[]): string[] | undefined {
  const classes = refused.filter((status) => status.endsWith('xx'));
  // A single one is outside of 2xx, which is what is wanted unless somebody says otherwise.
  if (classes.length === 0) return refused.some((status) => status.startsWith('2')) ? ['3xx', '4xx'] : undefined;
  return ['2xx', '3xx', '4xx'].filter((status) => !classes.includes(status));
}

function writeStatus({ draft, details, said }: Writing): void {
  const { statuses, refusedStatuses, redirectTo, keepsRedirect } = details;
  if (statuses.length > 0) draft.set('params.assertions.status', list(statuses));
  else if (refusedStatuses.length > 0) draft.set('params.assertions.status', statusesBut(refusedStatuses));
  else if (redirectTo !== undefined || (keepsRedirect && !said.has('not')))
    draft.set('params.assertions.status', ['3xx'], 'A redirect answers so.');
  if (keepsRedirect) draft.set('params.max_redirects', 0, 'The redirect itself is looked at.');
}

function writeHttp(writing: Writing): void {
  const { draft, details, kind } = writing;
  const { bounds, headers, redirectTo } = details;
  const assertion = (name: string, value: unknown): void => draft.set(`params.assertions.${name}`, value);
  draft.set('params.method', details.method);
  draft.set('params.headers', list(details.sent));
  draft.set('params.body', details.body);
  draft.set('params.family', details.family);
  if (details.acceptsInvalid) draft.set('params.tls.accept_invalid', true);
  writeStatus(writing);
  assertion('body_contains', list(details.contains));
  assertion('body_not_contains', list(details.notContains));
  assertion('json', list(details.json));
  assertion('headers', list([...headers, ...(redirectTo === undefined ? [] : [{ name: 'location', equals: redirectTo }])]));
  assertion('dns_ms', bounds.dns);
  assertion('connect_ms', bounds.connect);
  assertion('tls_ms', bounds.tls);
  assertion('first_byte_ms', bounds.first_byte);
  assertion('total_ms', bounds.total ?? bounds.trip);
  if (kind.type === 'https') assertion('certificate_days', details.certificateDays);
  else refuse(draft, 'Plain HTTP has no certificate. Name the https:// address.', [details.certificateDays]);
  refuse(draft, 'Packets, their loss and jitter are of pings. Ask for a ping of the host beside this.', [
    details.packets,
    details.lossRatio,
    bounds.jitter,
  ]);
}

function writeBrowser({ draft, details }: Writing): void {
  const { bounds } = details;
  draft.set('params.steps', list([...details.steps, ...details.contains.map((text) => ({ do: 'expect_text', text }))]));
  if (details.acceptsInvalid) draft.set('params.tls.accept_invalid', true);
  draft.set('params.assertions.status', list(details.statuses));
  draft.set('params.assertions.total_ms', bounds.total ?? bounds.trip);
  draft.set('params.assertions.certificate_days', details.certificateDays);
  const { notContains, sent, headers, json, method } = details;
  refuse(draft, 'A browser test looks for what is there, and sends no headers of its own. An HTTPS test does more of that.', [
    notContains,
    sent,
    headers,
    json,
    method,
  ]);
}

function writeDns({ draft, details, kind, said }: Writing): void {
  const { bounds } = details;
  draft.set('params.record', kind.record);
  draft.set('params.resolver', details.resolver);
  if (said.has('dnssec')) {
    draft.set('params.dnssec', true);
    draft.set('params.assertions.authenticated', true);
  }
  if (details.isAbsent) draft.set('params.assertions.code', 'NXDOMAIN');
  draft.set('params.assertions.answers_include', list([...details.answers, ...details.contains]));
  draft.set('params.assertions.total_ms', bounds.dns ?? bounds.total ?? bounds.trip ?? bounds.connect);
  refuse(draft, `A DNS test ${NO_TEXT}`, webDetails(details));
  refuse(draft, 'DNS has no certificate that ends. Name the https:// address.', [details.certificateDays]);
}

function writeIcmp({ draft, details }: Writing): void {
  const { bounds } = details;
  draft.set('params.count', details.packets);
  draft.set('params.family', details.family);
  draft.set('params.assertions.loss_max_ratio', details.lossRatio);
  draft.set('params.assertions.rtt_avg_ms', bounds.trip ?? bounds.total ?? bounds.connect);
  draft.set('params.assertions.jitter_ms', bounds.jitter);
  refuse(draft, `A ping ${NO_TEXT}`, [...webDetails(details), details.contains]);
  refuse(draft, 'A ping sees no certificate. Name the https:// address.', [details.certificateDays]);
}

function writeTcp({ draft, details, kind }: Writing): void {
  const { bounds, contains } = details;
  draft.set('params.family', details.family);
  if (kind.security) draft.set('params.security', kind.security);
  if (details.acceptsInvalid) draft.set('params.tls.accept_invalid', true);
  draft.set('params.assertions.expect_contains', contains[0]);
  draft.set('params.assertions.connect_ms', bounds.connect);
  draft.set('params.assertions.tls_ms', bounds.tls);
  draft.set('params.assertions.total_ms', bounds.total ?? bounds.trip);
  draft.set('params.assertions.certificate_days', details.certificateDays);
  refuse(draft, `A TCP test ${NO_TEXT}`, [...webDetails(details), contains.slice(1)]);
}

function writeUdp({ draft, details }: Writing): void {
  const { bounds, contains } = details;
  draft.set('params.family', details.family);
  draft.set('params.assertions.expect_contains', contains[0]);
  draft.set('params.assertions.total_ms', bounds.total ?? bounds.trip ?? bounds.connect);
  refuse(draft, `A UDP test ${NO_TEXT}`, [...webDetails(details), contains.slice(1), details.certificateDays]);
}

const WRITERS = {
  http: writeHttp,
  https: writeHttp,
  dns: writeDns,
  icmp: writeIcmp,
  tcp: writeTcp,
  udp: writeUdp,
  browser: writeBrowser,
};

export const writeParams = (writing: Writing): void => WRITERS[writing.kind.type](writing);
