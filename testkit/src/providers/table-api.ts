import { type CallBackTarget, createCallBack } from './call-back.ts';
import { readFixture } from './contract.ts';
import type { KeptObject, PersonAct, SimulatedProvider } from './kept.ts';
import { type Answer, type Call, type ServerOptions, startServer } from './server.ts';
import { createWindow } from './window.ts';

/**
 * ServiceNow: the Table API of incidents as the vendor's own examples show it. Every value is a string; an unknown field is ignored without a
 * word, so sending one is a breach; resolving without closure fields is 403 "Data Policy Exception"; nothing is deduplicated.
 */
export interface TableApiOptions extends ServerOptions {
  user: string;
  password: string;
  perHour?: number;
  /** Whether the account may set state 7, which takes another role. */
  mayClose?: boolean;
  callBack?: () => CallBackTarget | undefined;
}

type Record_ = Record<string, string>;

const PATH = '/api/now/table/incident';
interface Example {
  response: { status: number; body: { result: Record<string, unknown> } };
}
const readExample = (name: string) => JSON.parse(readFixture('servicenow', name).toString('utf8')) as Example;
/** The fields of an incident, from the vendor's example. */
const example = readExample('incident-create.json').response.body.result;
const FIELDS = new Set(Object.keys(example));
const blank = (): Record_ =>
  Object.fromEntries(Object.entries(example).map(([name, value]) => [name, typeof value === 'string' ? value : '']));

const refuse = (status: number, message: string, detail: string): Answer => ({
  status,
  body: { error: { message, detail }, status: 'failure' },
});
const isText = (value: unknown): value is string => typeof value === 'string';
const stamp = (atMs: number): string => new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');

function checkFields(body: unknown): string[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return ['the body is one record'];
  const faults = Object.entries(body).flatMap(([name, value]) => [
    ...(FIELDS.has(name) ? [] : [`${name} is no field of an incident: it would be lost in silence`]),
    ...(isText(value) ? [] : [`${name} is no string`]),
  ]);
  const { short_description: short = '', description = '' } = body as Record_;
  if ([...short].length > 160) faults.push('short_description is longer than 160');
  if ([...description].length > 4000) faults.push('description is longer than 4,000');
  return faults;
}

/** Why the instance's rules refuse a record as it would be; undefined: they do not. */
function findRefusal(before: Record_ | undefined, wanted: Record_, mayClose: boolean): Answer | undefined {
  if (!wanted.short_description) return refuse(403, 'Operation Failed', 'Data Policy Exception: Short description is mandatory');
  const becomes = wanted.state !== before?.state;
  const missing = ['close_code', 'close_notes'].filter((name) => !wanted[name]);
  if (becomes && wanted.state === '6' && missing.length > 0)
    return refuse(403, 'Operation Failed', `Data Policy Exception: ${missing.join(', ')} is mandatory when resolving`);
  if (becomes && wanted.state === '7' && !mayClose)
    return refuse(403, 'Operation Failed', 'ACL Exception: closing takes itil_admin');
  if (before?.state === '7') return refuse(403, 'Operation Failed', 'ACL Exception: a closed incident cannot be changed');
  return undefined;
}

const STATES: Readonly<Record<string, KeptObject['state']>> = { '1': 'open', '2': 'acknowledged', '3': 'acknowledged' };

const toObject = (record: Record_, lines: string[]): KeptObject => ({
  ...{
    id: record.sys_id ?? '',
    name: record.number ?? '',
    key: record.correlation_id ?? '',
    title: record.short_description ?? '',
  },
  ...{ state: STATES[record.state ?? ''] ?? 'resolved', text: record.description ?? '', lines },
  atMs: Date.parse(`${(record.sys_created_on ?? '').replace(' ', 'T')}Z`),
});

function createTable(options: TableApiOptions) {
  const records: Record_[] = [];
  const journal = new Map<string, string[]>();
  const callBack = createCallBack(options.callBack ?? (() => undefined));
  const linesOf = (record: Record_): string[] => journal.get(record.sys_id ?? '') ?? [];
  /** The documented business rule: after an update, whoever made it. */
  const tell = (record: Record_): void => {
    const { sys_id, state, correlation_id, sys_mod_count } = record;
    callBack.send({ sys_id, state, correlation_id, sys_mod_count }, (_, secret) => ({ 'x-svc-token': secret }));
  };
  const save = (record: Record_, given: Record_, atMs: number): Record_ => {
    const { work_notes: notes, ...fields } = given;
    const was = record.state;
    Object.assign(record, fields, { sys_updated_on: stamp(atMs), sys_mod_count: String(Number(record.sys_mod_count) + 1) });
    record.incident_state = record.state ?? '';
    if (notes) linesOf(record).push(notes);
    if (record.state !== was) linesOf(record).push(`state ${record.state}`);
    return record;
  };
  const create = (given: Record_, atMs: number): Record_ => {
    const number = records.length + 1;
    const sysId = number.toString(16).padStart(32, 'c537bae64f411200adf9f8e18110c76e'.slice(0, 26));
    const record = {
      ...blank(),
      sys_id: sysId,
      number: `INC${String(10_000 + number).padStart(7, '0')}`,
      sys_created_on: stamp(atMs),
    };
    journal.set(sysId, []);
    records.push(record);
    return save(record, given, atMs);
  };
  return { records, linesOf, tell, save, create, callBack };
}

type Table = ReturnType<typeof createTable>;

/** Fields that were asked for; values stay strings. */
const cut = (record: Record_, query: URLSearchParams): Record_ => {
  const wanted = query.get('sysparm_fields')?.split(',');
  return wanted ? Object.fromEntries(wanted.map((name) => [name, record[name] ?? ''])) : record;
};

function list({ records }: Table, query: URLSearchParams): Answer {
  const wanted = (query.get('sysparm_query') ?? '').split('^').filter(Boolean);
  const order = wanted.find((one) => one.startsWith('ORDERBY'));
  const conditions = wanted.filter((one) => one !== order).map((one) => one.split('='));
  const found = records.filter((record) => conditions.every(([name = '', value]) => record[name] === value));
  const newest = order?.startsWith('ORDERBYDESC') ? found.toReversed() : found;
  const most = Number(query.get('sysparm_limit') ?? 10_000);
  return { status: 200, body: { result: newest.slice(0, most).map((record) => cut(record, query)) } };
}

function isAuthorized({ headers }: Call, { user, password }: TableApiOptions): boolean {
  return (
    headers.authorization === `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` ||
    headers.authorization === `Bearer ${password}`
  );
}

function write(table: Table, call: Call, options: TableApiOptions): Answer {
  const given = call.json as Record_;
  const id = call.path.slice(PATH.length + 1);
  const before = id ? table.records.find(({ sys_id }) => sys_id === id) : undefined;
  if (id && !before) return refuse(404, 'No Record found', "Record doesn't exist or ACL restricts the record retrieval");
  const refusal = findRefusal(before, { ...(before ?? blank()), ...given }, options.mayClose ?? false);
  if (refusal) return refusal;
  const record = before ? table.save(before, given, call.atMs) : table.create(given, call.atMs);
  table.tell(record);
  const location = `${PATH}/${record.sys_id}`;
  return { status: before ? 200 : 201, ...(before ? {} : { headers: { location } }), body: { result: cut(record, call.query) } };
}

export async function startTableApi(
  options: TableApiOptions,
): Promise<SimulatedProvider & { told(): Promise<readonly number[]> }> {
  const table = createTable(options);
  const window = createWindow({ most: options.perHour ?? 5000, ms: 3_600_000 });
  const server = await startServer(options, (call, breach): Answer => {
    if (!call.path.startsWith(PATH)) return refuse(400, 'Requested URI does not represent any resource', call.path);
    if (!isAuthorized(call, options)) return refuse(401, 'User Not Authenticated', 'Required to provide Auth information');
    const waitMs = window.take(call.atMs);
    if (waitMs !== undefined) {
      const headers = { 'retry-after': String(Math.ceil(waitMs / 1000)), 'x-ratelimit-rule': 'simulated' };
      return { ...refuse(429, 'Rate limit exceeded', 'Rate limit of requests per hour for Table API exceeded'), headers };
    }
    if (!/json/.test(call.headers.accept ?? '')) breach('without Accept: application/json it may answer XML');
    if (call.query.get('sysparm_display_value') === 'true') breach('display values are in the language of the account');
    if (call.method === 'GET') {
      const id = call.path.slice(PATH.length + 1);
      if (id === '') return list(table, call.query);
      const record = table.records.find(({ sys_id }) => sys_id === id);
      return record
        ? { status: 200, body: { result: cut(record, call.query) } }
        : refuse(404, 'No Record found', "Record doesn't exist");
    }
    const isWrite = call.method === 'POST' ? call.path === PATH : call.method === 'PATCH' && call.path !== PATH;
    if (!isWrite) breach('no such operation');
    const faults = checkFields(call.json);
    for (const fault of faults) breach(fault);
    return faults.length > 0 || !isWrite ? refuse(400, 'Bad request', faults.join('; ')) : write(table, call, options);
  });
  const act = async (id: string, what: PersonAct): Promise<void> => {
    const record = table.records.find(({ sys_id }) => sys_id === id);
    if (!record) return;
    if (what === 'delete') return void table.records.splice(table.records.indexOf(record), 1);
    const state = { acknowledge: '2', resolve: '6', reopen: '2' }[what];
    const closing: Record_ = what === 'resolve' ? { close_code: 'Solved (Permanently)', close_notes: 'Cable replaced' } : {};
    table.tell(table.save(record, { state, ...closing }, Date.now()));
    await table.callBack.settled();
  };
  return {
    ...server,
    objects: () => table.records.map((record) => toObject(record, table.linesOf(record))),
    act,
    told: () => table.callBack.settled(),
  };
}
