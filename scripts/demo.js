// npm run demo: a tenant of simulated devices on a running server, or on one started here.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startChanges } from './demo/changes.js';
import { holdDemo } from './demo/hold.js';
import { connectProviders, startProviders } from './demo/providers.js';
import { createStartToken, nameTargets } from './demo/server.js';
import { prepareShop, startShop, whyNoShop } from './demo/shop.js';
import { LOOPBACK, putSnippet, startTargets } from './demo/targets.js';
import { makeTests, watchAll } from './demo/tests.js';
import { givePast, SHOP_HOST, startVisitors } from './demo/visitors.js';
import { childEnv, hasColour, root, setting } from './env.js';
import { senderFlags, startChild, stopChild, waitForMessage } from './processes.js';
import { ensureSetup } from './setup.js';
import { runUntilStopped, startAll } from './start.js';

const HELP = `npm run demo [-- --devices N --hours H --seed S]

Creates a tenant "demo", marked as simulated, and fills it with a simulated fleet that speaks the real agent protocol: 200 devices on
4 sites with the last 24 hours behind them, then live. A simulated shop of a dozen services sends its traces, logs and metrics over
OTLP alongside, and synthetic tests of all types measure targets on loopback: one fails for two of every ten minutes, one for three of
every 90, one for good, so that there are incidents of several ages; they resolve after 5 minutes here. Simulated visitors of the shop
send beacons: for half an hour each its checkout is well, hurts users and fails its test, fails its test alone, hurts users alone; the
server that it starts, a build of its own, is given the hours before as well. Deployments, commits and other changes are told of by
signed webhooks, some of which break what fails next. Incidents are told to simulated PagerDuty, Opsgenie, Slack,
Teams, ServiceNow and Jira, with a page that shows what they got. Uses
the server that runs on this data directory (SVC_DATA_DIR), else starts one. Running it again continues with the same devices. Ctrl-C
stops what it started.

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

/** What the tests measure, the tests themselves, and visitors and changes of the same hosts; gives what stops all of them. */
async function startTests(at, { isAttached, hours }) {
  const targets = await startTargets({ dataDir: at.dataDir, tenant: TENANT });
  try {
    const count = await makeTests(at, targets);
    await watchAll(at);
    const visitors = await startVisitors(at);
    putSnippet(visitors.snippet);
    // The demo goes on without: its day begins now.
    await givePast(at, { apps: visitors.apps, hours }).catch((error) =>
      print(`The hours before are not shown: ${error.message}`),
    );
    const changes = await startChanges(at, { tenant: TENANT });
    if (isAttached)
      print(`The demo's tests run where SVC_TARGETS_ALLOW of the running server names ${LOOPBACK}; else they say so.`);
    const stop = () => {
      changes.stop();
      visitors.stop();
      targets.stop();
    };
    return {
      count,
      apps: visitors.apps.size,
      webhooks: changes.count,
      page: `http://${SHOP_HOST}:${targets.ports.http}/visit`,
      stop,
    };
  } catch (error) {
    targets.stop();
    throw error;
  }
}

/** The demo's targets are on loopback, which tests may not reach otherwise. */
const allowTargets = () => [setting('SVC_TARGETS_ALLOW'), LOOPBACK].filter(Boolean).join(',');

function printBanner({ consoleUrl, link, simulated, shop, tests, providers }) {
  print(
    '',
    `${bold('The demo fleet')}     ${simulated} simulated devices, live`,
    ...(shop ? [`${bold('The demo shop')}      12 services over OpenTelemetry, live; see Explore`] : []),
    `${bold('The demo tests')}     ${tests.count} synthetic tests of targets on loopback; see Tests and Incidents`,
    `${bold('Its visitors')}       of ${tests.apps} apps, live; see Real users, or visit ${tests.page}`,
    `${bold('Its changes')}        by ${tests.webhooks} webhooks, live; see Changes`,
    ...(providers
      ? [`${bold('Its providers')}      simulated, told of each incident; see Notifications, or ${providers.page}`]
      : []),
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
  print(whyNoShop(host?.ready.notes));
  return undefined;
}

/** The server as it is built for the demo alone: it takes what is told of a day that is over. Gives its program. */
function buildDemo(node) {
  const built = spawnSync(node, [join(root, 'server', 'build.js'), '--demo'], { cwd: root, env: childEnv(), encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`The demo's server could not be built: ${built.stderr}`);
  return join(root, 'server', 'dist-demo', 'main.js');
}

async function runDemo({ devices, hours, args, shop: wanted }) {
  const given = setting('SVC_DATA_DIR') ?? join(root, 'data');
  await holdDemo(given).catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  const node = ensureSetup({ for: 'start' });
  const isAttached = isServed(given);
  print(isAttached ? `Using the server that runs on ${given}.` : 'Starting the control plane ...');
  // A server that runs already was not told to reach them.
  const providers = isAttached ? undefined : await startProviders(node, { dataDir: given, tenant: TENANT });
  const env = { SVC_TARGETS_ALLOW: allowTargets(), ...providers?.env };
  const host = isAttached ? undefined : await startAll({ agent: false, main: buildDemo(node), env });
  const dataDir = host?.ready.dataDir ?? given;
  let simulation;
  let shop;
  let tests;
  const stop = async () => {
    tests?.stop();
    await Promise.all([stopChild(simulation), stopChild(shop)]);
    await host?.stop();
    await stopChild(providers?.started);
  };
  try {
    const tenant = await prepareTenant(node, devices);
    const server = host?.ready.agentServerUrl ?? tenant.server;
    simulation = startSimulator(node, { ...tenant, server }, { dataDir, args });
    // Both awaited from its start: a fleet that remembers its past is there at once.
    const [planned, backfilled] = ['planned', 'backfilled'].map((type) => waitForMessage(simulation, type));
    backfilled.catch(() => {});
    const asAdmin = { server, dataDir, token: tenant.adminToken };
    await nameTargets(asAdmin, await planned);
    if (providers) await connectProviders(asAdmin, providers);
    tests = await startTests(asAdmin, { isAttached, hours });
    if (wanted) shop = await startShopOf(node, { host, server, dataDir, options: wanted });
    const ended = runUntilStopped({ server: simulation, stop });
    const { devices: simulated } = await backfilled;
    const shopReady = await waitForShop(shop);
    printBanner({ consoleUrl: host?.ready.consoleUrl, link: tenant.link, simulated, shop: shopReady, tests, providers });
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
  await runDemo({ devices, hours: Number(hours), args: ['--devices', values.devices, '--hours', hours, '--seed', seed], shop });
}
