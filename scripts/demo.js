// npm run demo: a tenant of simulated devices on a running server, or on one started here.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createStartToken, nameTargets } from './demo-server.js';
import { prepareShop, startShop } from './demo-shop.js';
import { childEnv, hasColour, root, setting } from './env.js';
import { senderFlags, startChild, stopChild, waitForMessage } from './processes.js';
import { ensureSetup } from './setup.js';
import { runUntilStopped, startAll } from './start.js';

const HELP = `npm run demo [-- --devices N --hours H --seed S]

Creates a tenant "demo", marked as simulated, and fills it with a simulated fleet that speaks the real agent protocol: 200 devices on
4 sites with the last 24 hours behind them, then live. A simulated shop of a dozen services sends its traces, logs and metrics over
OTLP alongside. Uses the server that runs on this data directory (SVC_DATA_DIR), else starts one. Running it again continues with the
same devices. Ctrl-C stops what it started.

  --devices N   default 200
  --hours H     hours of history; default 24
  --seed S      seed of the fleet and of the shop's requests; default 1
  --no-shop     the fleet only
  --help        this text`;

const TENANT = 'demo';
const svc = join(root, 'server', 'dist', 'svc.js');
const simulator = join(root, 'simulator', 'src', 'main.ts');
const bold = (text) => (hasColour ? `\x1b[1m${text}\x1b[0m` : text);
const print = (...lines) => process.stdout.write(`${lines.join('\n')}\n`);

/** Runs one command of the control plane's command line; gives what it printed. */
function runSvc(node, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, ['--disable-warning=TimeoutNegativeWarning', svc, ...args], { cwd: root, env: childEnv() });
    let out = '';
    let faults = '';
    child.stdout.on('data', (part) => {
      out += part;
    });
    child.stderr.on('data', (part) => {
      faults += part;
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve(out.trim());
      else reject(new Error(`svc ${args.slice(0, 2).join(' ')}: ${faults.trim() || out.trim() || `ended with ${code}`}`));
    });
  });
}

/** Whether a server holds this data directory: its lock names a living process. */
function isServed(dataDir) {
  try {
    const { pid } = JSON.parse(readFileSync(join(dataDir, 'lock'), 'utf8'));
    process.kill(pid, 0);
    return existsSync(join(dataDir, 'run', 'server.json'));
  } catch (error) {
    // Another user's process is alive all the same.
    return error?.code === 'EPERM';
  }
}

async function makeTenant(node) {
  try {
    await runSvc(node, ['tenant', 'create', TENANT, '--name', 'Fennmark', '--simulated']);
  } catch (error) {
    if (!/already/.test(error.message)) throw error;
  }
}

/** Token and address for agents, the link for a person, and what the demo's own start may change. */
async function prepareTenant(node, devices) {
  await makeTenant(node);
  const [enrol, link, adminToken] = await Promise.all([
    runSvc(node, ['enroll-token', 'create', '--tenant', TENANT, '--uses', String(devices * 2), '--expires', '30d']),
    runSvc(node, ['admin-link', '--tenant', TENANT]),
    createStartToken((args) => runSvc(node, args), { tenant: TENANT, role: 'admin' }),
  ]);
  const token = /svc_enr_\S+/.exec(enrol)?.[0];
  const server = /--server[= ](\S+)/.exec(enrol)?.[1];
  if (!token || !server) throw new Error(`This enrol command names no token and server: ${enrol.replace(/svc_enr_\S+/, '...')}`);
  return { token, server, adminToken, link: link.split('\n')[0] };
}

function startSimulator(node, { token, server }, { dataDir, args }) {
  const state = join(dataDir, TENANT, 'fleet.json');
  // On standard input, so that the token stands in no argument list.
  const started = startChild(
    node,
    [...senderFlags, simulator, '--server', server, '--token-file', '-', '--live', '--state', state, ...args],
    { stdin: 'pipe' },
  );
  started.child.stdin.on('error', () => {});
  started.child.stdin.end(`${token}\n`);
  return started;
}

/** Undefined where there is no shop: not wanted, OTLP not received, or it failed, which it has said itself. */
async function waitForShop(shop) {
  return shop && (await waitForMessage(shop, 'shop-ready').catch(() => undefined));
}

function printBanner({ consoleUrl, link, simulated, shop }) {
  print(
    '',
    `${bold('The demo fleet')}     ${simulated} simulated devices, live`,
    ...(shop ? [`${bold('The demo shop')}      12 services over OpenTelemetry, live; see Explore`] : []),
    ...(consoleUrl ? [`${bold('The console')}        ${consoleUrl}`] : []),
    `${bold('Become its admin')}   ${link}`,
    '                   (works once, for 24 hours; the browser warns of the self-signed certificate)',
    `${bold('Stop')}               Ctrl-C`,
    '',
  );
}

/** Starts the shop where OTLP is received, and says so where it is not. */
async function startShopOf(node, { host, server, dataDir, options }) {
  const address = host ? (host.ready.otlp?.http ?? null) : undefined;
  const prepared = await prepareShop((args) => runSvc(node, args), { tenant: TENANT, server, dataDir, address });
  if (prepared) return startShop(node, prepared, { dataDir, tenant: TENANT, ...options });
  print('OTLP over HTTPS is not received here (SVC_OTLP_HTTP_ADDR), so the demo has no shop.');
  return undefined;
}

async function runDemo({ devices, args, shop: wanted }) {
  const node = ensureSetup({ for: 'start' });
  const given = setting('SVC_DATA_DIR') ?? join(root, 'data');
  const isAttached = isServed(given);
  print(isAttached ? `Using the server that runs on ${given}.` : 'Starting the control plane ...');
  const host = isAttached ? undefined : await startAll({ agent: false });
  const dataDir = host?.ready.dataDir ?? given;
  let simulation;
  let shop;
  const stop = async () => {
    await Promise.all([stopChild(simulation), stopChild(shop)]);
    await host?.stop();
  };
  try {
    const tenant = await prepareTenant(node, devices);
    const server = host?.ready.agentServerUrl ?? tenant.server;
    simulation = startSimulator(node, { ...tenant, server }, { dataDir, args });
    // Both awaited from its start: a fleet that remembers its past is there at once.
    const [planned, backfilled] = ['planned', 'backfilled'].map((type) => waitForMessage(simulation, type));
    backfilled.catch(() => {});
    await nameTargets({ server, dataDir, token: tenant.adminToken }, await planned);
    if (wanted) shop = await startShopOf(node, { host, server, dataDir, options: wanted });
    const ended = runUntilStopped({ server: simulation, stop });
    const { devices: simulated } = await backfilled;
    const shopReady = await waitForShop(shop);
    printBanner({ consoleUrl: host?.ready.consoleUrl, link: tenant.link, simulated, shop: shopReady });
    // The server's own end ends the demo as well.
    const { code } = await (host?.server.exited ?? ended);
    await stop();
    process.exit(code ?? 1);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    await stop();
    process.exit(1);
  }
}

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '200' },
    hours: { type: 'string', default: '24' },
    seed: { type: 'string', default: '1' },
    'no-shop': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});
const devices = Number(values.devices);
if (values.help) print(HELP);
else if (!Number.isInteger(devices) || devices < 1 || devices > 20_000) {
  process.stderr.write(`--devices ${values.devices} is not a number from 1 to 20000.\n`);
  process.exit(2);
} else {
  const { hours, seed } = values;
  // Its day is enough: what it sends is much, and no longer kept than 15 days.
  const shop = values['no-shop'] ? undefined : { hours: String(Math.min(24, Number(hours))), seed };
  await runDemo({ devices, args: ['--devices', values.devices, '--hours', hours, '--seed', seed], shop });
}
