// A device as a process of its own, to be killed: publishes from a disk spool and prints each id once it is spooled.
// usage: sender-process.ts CREDENTIALS.json SPOOL_DIR; ends when standard input does, after everything was acknowledged.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Credentials, openDiskSpool } from '@svc/desktop-agent/headless';
import { startSender } from './senders.ts';

const [credentialsFile = '', directory = ''] = process.argv.slice(2);
const credentials = JSON.parse(readFileSync(credentialsFile, 'utf8')) as Credentials;
const spool = await openDiskSpool({ directory, maxBytes: 64 << 20 });
process.stdout.write(`waiting ${spool.status().results}\n`);
const sender = startSender({ credentials, spool });

let ending = false;
process.stdin.once('end', () => {
  ending = true;
});
process.stdin.resume();
const said = new Set<string>();
while (!ending) {
  await sender.add(20);
  const fresh = [...sender.spooled].filter((id) => !said.has(id));
  for (const id of fresh) said.add(id);
  process.stdout.write(`${fresh.map((id) => `spooled ${id}`).join('\n')}\nacknowledged ${sender.acknowledged.size}\n`);
  await sleep(20);
}
while (spool.status().results > 0) await sleep(50);
await sender.stop();
await spool.close();
