// The child of killed.int.test.ts: settles one failing as leased work, and kills itself where it is told to: with the transaction's last
// statement made and nothing committed, or once it is committed and before anybody is told.
import { pino } from 'pino';
import { parseTenantId } from '#kernel';
import { openRelational, startLeasedWork } from '#relational';
import { createIncidents } from './index.ts';
import { SETTLED_BY, settledSignal } from './test-settled.ts';

const [appUrl = '', id = '', moment = ''] = process.argv.slice(2);
const log = pino({ level: 'silent' });
const relational = await openRelational({ appUrl, log, poolSize: 4 });
const tenant = parseTenantId(id);
const die = (now: string): void => {
  if (now === moment) process.kill(process.pid, 'SIGKILL');
};

const incidents = createIncidents({
  relational,
  appendAudit: async () => {},
  nameActors: async () => new Map(),
  listPeople: async () => [],
  observers: [async () => die('before the commit')],
  clock: { now: () => Date.now() },
  log,
});
startLeasedWork(relational, {
  ...{ name: SETTLED_BY, everyMs: 100, log },
  work: async (fence) => {
    await incidents.settle(tenant, { plane: 'tests', kind: 'test.failing', scope: 'all', fence }, [settledSignal(id)]);
    die('after the commit');
  },
});
