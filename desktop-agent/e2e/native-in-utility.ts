import { findRoute } from '@svc/native/gateway/index';
import { pingGateway, tracePath } from '@svc/native/path/index';
import { readingValue } from '@svc/native/reading';
import { readWifi } from '@svc/native/wifi/index';

/** What a utility process of Electron has to speak to its parent. */
interface UtilityProcess {
  parentPort: { postMessage(message: unknown): void };
}

/** Looked up only, and never reached: what is sent its way ends after one hop. */
const TOWARDS = '203.0.113.1';

/**
 * Each binding once, the path by three rounds, of which a busy machine may lose one: it ends on this machine, for a gateway answers one
 * trace a second and others may ask it too.
 */
async function readAll(): Promise<unknown> {
  const route = readingValue(await findRoute(TOWARDS));
  const wifi = await readWifi({ collectSsid: false });
  const gateway = route && readingValue(route.gateway);
  if (!gateway) return { versions: process.versions, wifi };
  const ping = await pingGateway({ gateway, towards: TOWARDS, count: 5 });
  const trace = await tracePath({ destination: '127.0.0.1', maxHops: 2, rounds: 3 });
  return { versions: process.versions, gateway, wifi, ping, trace };
}

const { parentPort } = process as unknown as UtilityProcess;
readAll().then(
  (output) => parentPort.postMessage({ output }),
  (error: Error) => parentPort.postMessage({ error: error.stack }),
);
