// The child of killed.int.test.ts: stores what waits on the bus, and kills itself where it is told to: with the transaction's last statement
// made and nothing committed, or once it is committed and before the bus is told.
import { pino } from 'pino';
import { createLogBus } from '#bus';
import { openRelational, type Relational } from '#relational';
import { subscribeChanges } from './store/consume.ts';

const [appUrl = '', folder = '', moment = ''] = process.argv.slice(2);
const log = pino({ level: 'silent' });
const die = (now: string): void => {
  if (now === moment) process.kill(process.pid, 'SIGKILL');
};

const opened = await openRelational({ appUrl, log, poolSize: 2 });
const relational: Relational = {
  ...opened,
  withSystemSql: async (tenant, work) => {
    const done = await opened.withSystemSql(tenant, work);
    die('after the commit');
    return done;
  },
};
const bus = await createLogBus({ folder, log, maxBytes: 64 * 1024 ** 2 });
await subscribeChanges({ bus, relational, appendAudit: async () => die('before the commit'), log });
