import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { PlannedTestMessage } from '@svc/contracts/tests/runner-messages';
import { z } from 'zod';
import type { Credentials } from './identity-store.ts';

type Owner = Pick<Credentials, 'tenant_id' | 'runner_id'>;

/** The last plan as the server sent it, on disk: a runner that starts without a connection goes on with it. */
export interface PlanFile {
  /** Empty where there is none, where it is damaged, or where it is another runner's. */
  load(owner: Owner): Promise<PlannedTestMessage[]>;
  /** Replaces the file as a whole: after a crash the old or the new one is there. Reads the tests while it writes. */
  save(owner: Owner, tests: Iterable<PlannedTestMessage>): Promise<void>;
  remove(): Promise<void>;
}

const Head = z.object({ version: z.literal(1), tenant_id: z.string(), runner_id: z.string() });
const Line = z.object({
  test: z.string(),
  secrets: z.array(z.object({ name: z.string(), hosts: z.array(z.string()), sealed: z.base64() })),
});
const End = z.object({ tests: z.int() });

const TESTS_AT_ONCE = 200;

const lineOf = ({ test_json, secrets }: PlannedTestMessage): string =>
  JSON.stringify({
    test: Buffer.from(test_json).toString('utf8'),
    // As they came: nobody reads them without the key.
    secrets: secrets.map(({ name, hosts, sealed }) => ({ name, hosts, sealed: Buffer.from(sealed).toString('base64') })),
  } satisfies z.infer<typeof Line>);

function readLine(text: string): PlannedTestMessage {
  const { test, secrets } = Line.parse(JSON.parse(text));
  return {
    test_json: Buffer.from(test, 'utf8'),
    secrets: secrets.map(({ name, hosts, sealed }) => ({ name, hosts, sealed: Buffer.from(sealed, 'base64') })),
  };
}

async function readAll(path: string, owner: Owner): Promise<PlannedTestMessage[]> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  const read: string[] = [];
  for await (const line of lines) read.push(line);
  const head = Head.parse(JSON.parse(read[0] ?? ''));
  const end = End.parse(JSON.parse(read.at(-1) ?? ''));
  const tests = read.slice(1, -1).map(readLine);
  const isOwn = head.tenant_id === owner.tenant_id && head.runner_id === owner.runner_id;
  return isOwn && tests.length === end.tests ? tests : [];
}

export function openPlanFile(folder: string): PlanFile {
  const path = join(folder, 'plan.jsonl');
  return {
    load: async (owner) => await readAll(path, owner).catch(() => []),
    async save({ tenant_id, runner_id }, tests) {
      const handle = await open(`${path}.new`, 'w', 0o600);
      try {
        let lines = [JSON.stringify({ version: 1, tenant_id, runner_id })];
        let count = 0;
        for (const test of tests) {
          lines.push(lineOf(test));
          count += 1;
          if (lines.length < TESTS_AT_ONCE) continue;
          await handle.appendFile(`${lines.join('\n')}\n`);
          lines = [];
        }
        await handle.appendFile(`${[...lines, JSON.stringify({ tests: count })].join('\n')}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(`${path}.new`, path);
    },
    remove: async () => await rm(path, { force: true }),
  };
}
