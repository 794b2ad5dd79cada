import { join } from 'node:path';
import { loadConfig } from '../config.ts';
import { type Minimised, restore } from '../privacy/minimise.ts';
import type { LedgerBlock } from '../publish/ledger.ts';
import { readLedger } from '../publish/ledger-records.ts';
import { iso } from '../publish/ledger-time.ts';
import type { Command, CommandIo } from './command.ts';

const KINDS: Record<NonNullable<LedgerBlock['kind']>, string> = {
  results: 'results',
  status: 'status of this device',
  enrol: 'request to enrol',
  renew: 'request to renew the certificate',
  update: 'look for a newer version',
  load: 'load of a test of the line',
  echo: 'round trips of a test of the line',
  told: 'what others at this site have too',
  receipt: 'receipt',
};
const RECEIPTS = {
  signed: 'signed by the control plane, and the signature is valid',
  unsigned: 'not signed',
  invalid: 'signed, and the signature is WRONG',
} as const;

/** One line of JSON for each result, each other message and each receipt. */
function printJson(io: CommandIo, block: LedgerBlock): void {
  const { kind = 'results', direction = 'sent', server, bytes, sha256, message, receipt } = block;
  const common = { at: iso(block.at), kind, direction, server, ...(sha256 === undefined ? {} : { bytes, sha256 }) };
  if (receipt) io.out(JSON.stringify({ ...common, receipt }));
  else if (message && direction === 'received') io.out(JSON.stringify({ ...common, received: message.sent }));
  else if (message) io.out(JSON.stringify({ ...common, sent: message.sent, before: { ...message.sent, ...message.withheld } }));
  for (const minimised of block.results)
    io.out(JSON.stringify({ ...common, sent: minimised.result, before: restore(minimised) }));
}

function printResult(io: CommandIo, { result, withheld }: Minimised): void {
  // Every field: also those that name no figure.
  const { canary_type: type, ...fields } = result;
  io.out(`  ${type}`);
  io.out(`    sent      ${JSON.stringify(fields)}`);
  if (Object.keys(withheld).length > 0) io.out(`    withheld  ${JSON.stringify(withheld)}`);
}

function printText(io: CommandIo, block: LedgerBlock): void {
  const { kind = 'results', direction = 'sent', message, receipt } = block;
  if (receipt) {
    const counts = receipt.kind ? '' : `batch ${receipt.sequence}: ${receipt.accepted} accepted, ${receipt.rejected} refused; `;
    io.out(`${iso(block.at)}  receipt for ${receipt.of.slice(0, 16)}  ${counts}${RECEIPTS[receipt.state]}`);
    return;
  }
  const size = block.bytes === undefined ? '' : `  ${block.bytes} bytes`;
  const digest = block.sha256 === undefined ? '' : `  ${block.sha256.slice(0, 16)}`;
  io.out(`${iso(block.at)}  ${KINDS[kind]}  ${direction === 'sent' ? 'to' : 'from'} ${block.server}${size}${digest}`);
  if (message) {
    io.out(`    ${direction.padEnd(10)}${JSON.stringify(message.sent)}`);
    if (Object.keys(message.withheld).length > 0) io.out(`    withheld  ${JSON.stringify(message.withheld)}`);
  }
  for (const minimised of block.results) printResult(io, minimised);
}

export const whatIsSentCommand: Command = {
  summary: 'show every message that left this device, and what it was told of others',
  help: `svc-agent what-is-sent [--json]

Prints the device's own record of the last 7 days (or 20 MB), in the order sent: results, status, requests to enrol and to renew,
looks for updates, tests of the line with their bytes each way, each as it was sent, with what was withheld from it, its size and its SHA-256 before compression, and the
control plane's receipts, and what it told of others at this site. The record is a chain of hashes: a change made afterwards shows.

  --json   one line per result, other message or receipt: {at, kind, direction, server, bytes, sha256, sent, before},
           with received in place of the last two for what came`,
  options: { json: { type: 'boolean' } },
  async run(options, io) {
    const config = loadConfig();
    let results = 0;
    let messages = 0;
    let broken = false;
    for await (const { block, intact } of readLedger(join(config.stateDir, 'ledger'))) {
      broken ||= !intact;
      if (!block) {
        io.tell('The record was changed here after it was written, and can no longer be read.');
        continue;
      }
      if (!intact) io.tell(`The record of ${iso(block.at)}, or what followed it, was changed after it was written.`);
      results += block.results.length;
      messages += block.kind === 'receipt' || block.direction === 'received' ? 0 : 1;
      if (options.json === true) printJson(io, block);
      else printText(io, block);
    }
    const whole = broken ? '' : '; the record is whole';
    if (options.json !== true)
      io.out(
        messages === 0 ? 'Nothing was sent in the last 7 days.' : `Messages sent: ${messages}, with ${results} results${whole}.`,
      );
    return broken ? 1 : 0;
  },
};
