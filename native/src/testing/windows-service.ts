import { appendFileSync } from 'node:fs';
import { joinServiceManager } from '../service-control/win32.ts';

/** What runs as a service inside wine for windows-service.int.test.ts: writes down in a file what happens to it. */
const [file = '', how = ''] = process.argv.slice(2);
const note = (word: string): void => appendFileSync(file, `${word}\n`);

try {
  const stopped = Promise.withResolvers<Error>();
  const service = await joinServiceManager({ name: 'svc-test', onStop: stopped.resolve, onPower: note, patienceMs: 20_000 });
  note('begun');
  service.running();
  const beat = setInterval(() => note('beat'), 100);
  if (how === 'crash') setTimeout(() => process.exit(3), 500);
  note((await stopped.promise).message);
  clearInterval(beat);
  await service.stopped(how === 'fail' ? 2 : 0);
  note('stopped');
} catch (error) {
  note(String(error));
  process.exitCode = 1;
}
process.exit();
