import { parseArgs } from 'node:util';
import { resultBatch } from '@svc/contracts/agent/messages';
import { makeWeakWifiRound } from '../server/src/features/endpoint/test-stack.ts';
import { admitBatch, decodeBatch } from '../server/src/features/endpoint-intake/admit.ts';
import { parseTenantId } from '../server/src/kernel/index.ts';

/** CPU of taking one result in, without TLS and bus: decode the batch, check it, write canonical JSON. */
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '2' } } });
const agent = { tenant: parseTenantId('bench'), agentId: '01890a5d-ac96-774b-bcce-b302099a8057', fingerprint: '' };
const bytes = resultBatch.encode({ sequence: 1, results: makeWeakWifiRound() });

let results = 0;
let out = 0;
const before = process.cpuUsage();
const until = performance.now() + Number(values.seconds) * 1000;
while (performance.now() < until) {
  for (let i = 0; i < 200; i += 1) {
    const { messages } = admitBatch(decodeBatch(bytes), agent, Date.now());
    results += messages.length;
    for (const { value } of messages) out += value.length;
  }
}
const { user, system } = process.cpuUsage(before);
const perCpuSecond = results / ((user + system) / 1e6);
process.stdout.write(
  `${Math.round(perCpuSecond)} results a CPU-second, ${((user + system) / results).toFixed(1)} us and ${Math.round(out / results)} bytes of JSON each\n`,
);
