import { createServer } from 'node:net';

const PORTS = { SVC_OTLP_GRPC_ADDR: 4317, SVC_OTLP_HTTP_ADDR: 4318 };

function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ host: '127.0.0.1', port }, () => probe.close(() => resolve(true)));
  });
}

/**
 * The usual OTLP ports of this machine, unless an address is set (empty is off) or the server is a member of a fleet. A port that
 * another program has, often a Collector, is left to it: the server starts all the same and a note says so.
 * @param {(name: string) => string | undefined} setting
 */
export async function chooseOtlpAddresses(setting) {
  const env = {};
  const notes = [];
  if (setting('SVC_DATABASE_URL') || setting('SVC_ROLES')) return { env, notes };
  for (const [key, port] of Object.entries(PORTS)) {
    if (setting(key) !== undefined) continue;
    if (await isFree(port)) env[key] = `127.0.0.1:${port}`;
    else notes.push(`Port ${port} is taken by another program, so OTLP is not received there; set ${key} to another address.`);
  }
  return { env, notes };
}
