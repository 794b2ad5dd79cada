import { writeFile } from 'node:fs/promises';
import { type QuarantineRow, SET_ASIDE_REASONS } from '#bus';
import { AppError, type TenantId } from '#kernel';
import { type Command, type CommandInput, type CommandOption, textOption } from './command.ts';
import { readTenant } from './token.ts';

interface Wanted {
  id?: string | undefined;
  reason?: string | undefined;
}

/** The quarantine of one tenant. */
export interface QuarantineDesk {
  list(tenant: TenantId, page: Wanted & { limit: number }): Promise<readonly QuarantineRow[]>;
  totals(tenant: TenantId): Promise<{ messages: number; bytes: number; dropped: { messages: number; bytes: number } }>;
  /** The message itself; written down in the tenant's trail. */
  open(tenant: TenantId, id: string): Promise<{ headers: Readonly<Record<string, string>>; value: Buffer }>;
  /** Asks the servers to publish messages again and waits a little for it; gives how many were asked for and how many still wait. */
  retry(tenant: TenantId, wanted: Wanted): Promise<{ asked: number; waiting: number }>;
  drop(tenant: TenantId, wanted: Wanted): Promise<number>;
}

export interface QuarantineCommandDeps {
  withQuarantine: <T>(work: (desk: QuarantineDesk) => Promise<T>) => Promise<T>;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LIMIT = 100;

const tenant: CommandOption = { type: 'string', value: 'ID', required: true, help: 'the tenant of the messages' };
const json: CommandOption = { type: 'boolean', help: 'print JSON' };
const reason: CommandOption = { type: 'string', value: 'REASON', help: `only those: ${SET_ASIDE_REASONS.join(', ')}` };
const which: Readonly<Record<string, CommandOption>> = {
  tenant,
  id: { type: 'string', value: 'ID', help: 'this message' },
  reason: { ...reason, help: `all of one reason: ${SET_ASIDE_REASONS.join(', ')}` },
  all: { type: 'boolean', help: 'all of the tenant' },
};

function readId(id: string): string {
  if (!UUID.test(id))
    throw new AppError('bad_request', `"${id}" is not the ID of a message. See: svc bus quarantine list --help`);
  return id;
}

function readReason(input: CommandInput): string | undefined {
  const wanted = textOption(input, 'reason');
  if (wanted !== undefined && !SET_ASIDE_REASONS.some((one) => one === wanted))
    throw new AppError('bad_request', `"${wanted}" is not a reason: use ${SET_ASIDE_REASONS.join(', ')}.`);
  return wanted;
}

/** Exactly one of --id, --reason and --all. */
function readWanted(input: CommandInput): Wanted {
  const [id, ofReason] = [textOption(input, 'id'), readReason(input)];
  if ([id !== undefined, ofReason !== undefined, input.options.all === true].filter(Boolean).length !== 1)
    throw new AppError('bad_request', 'Give one of --id, --reason and --all.');
  return { ...(id !== undefined && { id: readId(id) }), ...(ofReason !== undefined && { reason: ofReason }) };
}

const count = (n: number): string => `${n} ${n === 1 ? 'message' : 'messages'}`;

const toJson = (row: QuarantineRow) => ({
  id: row.id,
  set_aside_at: row.set_aside_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  topic: row.topic,
  group: row.consumer_group,
  partition: row.bus_partition,
  offset: row.bus_offset,
  reason: row.reason,
  error: row.error,
  bytes: row.bytes,
  retrying: row.retry_at !== null,
});

function printTable(rows: readonly QuarantineRow[], print: (line: string) => void): void {
  const cells = rows.map((row) => [
    ...[row.id, `${row.set_aside_at.toISOString().slice(0, 19)}Z`, row.topic, row.retry_at ? 'retrying' : row.reason],
    `${row.bytes}`,
  ]);
  const table = [['ID', 'SET ASIDE', 'TOPIC', 'REASON', 'BYTES'], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  for (const row of table)
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

const createList = ({ withQuarantine }: QuarantineCommandDeps): Command => ({
  name: 'bus quarantine list',
  summary: 'Lists messages of a tenant that no consumer could handle.',
  details: `The newest ${LIMIT} first. They are kept as long as what they would have become, at most 1,000 and 64 MiB per tenant.`,
  options: { tenant, reason, json },
  async run(input) {
    const id = readTenant(input);
    const wanted = { reason: readReason(input), limit: LIMIT };
    const { rows, totals } = await withQuarantine(async (desk) => ({
      rows: await desk.list(id, wanted),
      totals: await desk.totals(id),
    }));
    if (input.options.json) return input.print(JSON.stringify({ ...totals, items: rows.map(toJson) }, null, 2));
    if (rows.length > 0) printTable(rows, input.print);
    else input.print('No message is set aside.');
    if (rows.length > 0) input.print(`${count(totals.messages)}, ${totals.bytes} bytes.`);
    if (totals.dropped.messages > 0) input.print(`${count(totals.dropped.messages)} went to make room over the last 31 days.`);
  },
});

const createShow = ({ withQuarantine }: QuarantineCommandDeps): Command => ({
  name: 'bus quarantine show',
  summary: 'Shows one message that was set aside, and why.',
  details: 'The content is the tenant’s data: only --save writes it out, and the audit trail of the tenant records that.',
  positionals: [{ name: 'ID', help: 'of the list' }],
  options: { tenant, save: { type: 'string', value: 'FILE', help: 'writes the message to a new file' }, json },
  async run(input) {
    const [owner, id, file] = [readTenant(input), readId(input.positionals[0] ?? ''), textOption(input, 'save')];
    const { row, opened } = await withQuarantine(async (desk) => ({
      row: (await desk.list(owner, { id, limit: 1 }))[0],
      opened: file === undefined ? undefined : await desk.open(owner, id),
    }));
    if (!row) throw new AppError('not_found', `The tenant ${owner} has no message ${id} in quarantine.`);
    if (file !== undefined && opened) await writeFile(file, opened.value, { mode: 0o600, flag: 'wx' });
    const told = toJson(row);
    if (input.options.json) return input.print(JSON.stringify(told, null, 2));
    for (const [name, value] of Object.entries(told)) input.print(`${`${name}:`.padEnd(14)}${value}`);
    if (file !== undefined) input.print(`${'saved:'.padEnd(14)}${file}`);
  },
});

const createRetry = ({ withQuarantine }: QuarantineCommandDeps): Command => ({
  name: 'bus quarantine retry',
  summary: 'Publishes set-aside messages again.',
  details:
    'A running server does it, with the headers of the first time, and removes them from the quarantine; without one it happens at the next\nstart. What fails again is set aside again.',
  options: which,
  async run(input) {
    const [owner, wanted] = [readTenant(input), readWanted(input)];
    const { asked, waiting } = await withQuarantine((desk) => desk.retry(owner, wanted));
    if (asked === 0) throw new AppError('not_found', 'There is no such message in quarantine.');
    if (waiting < asked) input.print(`${count(asked - waiting)} published again.`);
    if (waiting > 0) input.print(`${count(waiting)} will be published by the next server that runs.`);
  },
});

const createDrop = ({ withQuarantine }: QuarantineCommandDeps): Command => ({
  name: 'bus quarantine drop',
  summary: 'Deletes messages that were set aside.',
  details: 'They are deleted permanently.',
  options: which,
  async run(input) {
    const [owner, wanted] = [readTenant(input), readWanted(input)];
    const dropped = await withQuarantine((desk) => desk.drop(owner, wanted));
    if (dropped === 0) throw new AppError('not_found', 'There is no such message in quarantine.');
    input.print(`${count(dropped)} deleted.`);
  },
});

/** `svc bus quarantine list|show|retry|drop` */
export const createQuarantineCommands = (deps: QuarantineCommandDeps): Command[] => [
  createList(deps),
  createShow(deps),
  createRetry(deps),
  createDrop(deps),
];
