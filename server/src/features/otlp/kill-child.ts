// The child of kill.int.test.ts: receives into the log on disk, tells its ports on standard output, and is killed.
import { writeSync } from 'node:fs';
import { pino } from 'pino';
import { createLogBus } from '#bus';
import { startTestReceiver } from './test-receiver.ts';

const [folder] = process.argv.slice(2) as [string];
const bus = await createLogBus({ folder, log: pino({ level: 'silent' }) });
const { ca, grpcPort, httpPort } = await startTestReceiver({ bus });
writeSync(1, `${JSON.stringify({ ca, grpcPort, httpPort })}\n`);
