import type { Stage } from './situation.ts';

/** Fetches from the lab's server again and again, several at once; ended with the lab. */
const DOWNLOAD = `const http = require('node:http');
const agent = new http.Agent({ keepAlive: true });
const fetchOne = () => http.get(process.argv[1], { agent }, (r) => { r.resume(); r.on('end', fetchOne); r.on('error', () => setTimeout(fetchOne, 200)); }).on('error', () => setTimeout(fetchOne, 200));
for (let i = 0; i < 3; i += 1) fetchOne();`;
const FILLED_MS = 1500;

/** Resolves once a queue has had the time to fill. */
export async function startDownload({ lab }: Stage): Promise<void> {
  lab.start('client', [process.execPath, '-e', DOWNLOAD, `http://${lab.server.v4}/?bytes=4000000`]);
  await new Promise((resolve) => setTimeout(resolve, FILLED_MS));
}
