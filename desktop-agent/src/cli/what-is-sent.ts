import { join } from 'node:path';
import { loadConfig } from '../config.ts';
import { restore } from '../privacy/minimise.ts';
import { readLedger } from '../publish/ledger-records.ts';
import type { Command } from './command.ts';

export const whatIsSentCommand: Command = {
  summary: 'show every payload that left this device',
  help: `svc-agent what-is-sent [--json]

Prints the device's own record of the last 7 days (or 20 MB): each result as it was sent, with what was withheld
from it. The record is a chain of hashes: a change made afterwards shows.

  --json   one line per result: {at, server, sent, before}`,
  options: { json: { type: 'boolean' } },
  async run(options, io) {
    const config = loadConfig();
    let count = 0;
    let broken = false;
    for await (const { block, intact } of readLedger(join(config.stateDir, 'ledger'))) {
      broken ||= !intact;
      if (!block) {
        io.tell('The record was changed here after it was written, and can no longer be read.');
        continue;
      }
      if (!intact)
        io.tell(`The record of ${new Date(block.at).toISOString()}, or what followed it, was changed after it was written.`);
      const at = new Date(block.at).toISOString();
      for (const minimised of block.results) {
        count += 1;
        const { result, withheld } = minimised;
        if (options.json === true) {
          io.out(JSON.stringify({ at, server: block.server, sent: result, before: restore(minimised) }));
          continue;
        }
        io.out(`${at}  ${result.canary_type}  to ${block.server}`);
        io.out(`  sent      ${JSON.stringify({ ...result.metrics, ...result.attributes })}`);
        if (Object.keys(withheld).length > 0) io.out(`  withheld  ${JSON.stringify(withheld)}`);
      }
    }
    if (options.json !== true)
      io.out(count === 0 ? 'Nothing was sent yet.' : `${count} results were sent${broken ? '' : '; the record is whole'}.`);
    return broken ? 1 : 0;
  },
};
