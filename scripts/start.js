// npm start: the control plane on embedded stores and one endpoint agent that measures this machine.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nodeFlags } from '../server/bin/node-flags.js';
import { hasColour, root, setting } from './env.js';
import { canShowFace, startFace } from './face.js';
import { chooseOtlpAddresses } from './otlp-addresses.js';
import { agentShim, serverMain, startChild, stopChild, waitForMessage } from './processes.js';
import { showInWords } from './server-words.js';
import { ensureSetup } from './setup.js';

const HELP = `npm start [-- --no-agent] [--no-window]

Sets this checkout up, starts the control plane (PostgreSQL, ClickHouse and the message log inside, certificate self-signed)
and an endpoint agent that measures this machine, with its tray and window where there is a screen and an Electron (fetched once by
"npm exec install-electron"). Data live in data/ (SVC_DATA_DIR). Ctrl-C stops everything.

  --no-agent   the control plane only
  --no-window  the agent without its tray and window
  --help       this text
Settings are environment variables: docs/configuration.md. SVC_LOG_LEVEL=info shows the server's log as JSON.`;

const bold = (text) => (hasColour ? `\x1b[1m${text}\x1b[0m` : text);

/** Where exporters send to; the token only on the start that made it. */
function describeOtlp({ otlp, dataDir }) {
  const ways = [otlp.grpc && `gRPC ${otlp.grpc}`, otlp.http && `https://${otlp.http}`].filter(Boolean);
  const lines = [`${bold('OpenTelemetry')}      ${ways.join(' and ')}`];
  if ([otlp.grpc, otlp.http].some((address) => address?.startsWith('127.')))
    lines.push('                   (from this machine only; SVC_OTLP_GRPC_ADDR and SVC_OTLP_HTTP_ADDR open it to others)');
  if (!setting('SVC_TLS_CERT_FILE') && !setting('SVC_OTLP_TLS_CERT_FILE'))
    lines.push(`                   certificate authority: ${join(dataDir, 'tls', 'ca.crt')}`);
  if (otlp.token) {
    lines.push(`${bold('First OTLP token')}    ${otlp.token}`);
    lines.push('                   (shown once; send it as "authorization: Bearer <token>"; create more in the console)');
  }
  return lines;
}

function printBanner(ready) {
  const lines = ['', `${bold('The console')}        ${ready.consoleUrl}`];
  if (ready.claimLink) {
    lines.push(`${bold('Become its admin')}   ${ready.claimLink}`);
    lines.push('                   (works once, for 24 hours; the browser warns of the self-signed certificate)');
  }
  if (ready.enrollCommand)
    lines.push(`${bold('Another device')}     ${ready.enrollCommand.replaceAll('\n', `\n${' '.repeat(19)}`)}`);
  if (ready.otlp) lines.push(...describeOtlp(ready));
  for (const note of ready.notes ?? []) lines.push(`${bold('Note')}               ${note}`);
  lines.push(`${bold('Stop')}               Ctrl-C`, '');
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Starts the agent with a token of the server that just came up; behind a window, that says what is collected before it measures. */
function startAgent(node, ready, { stateDir, isBehindWindow }) {
  const args = [agentShim, 'run', '--enroll-stdin', '--server', ready.agentServerUrl, ...(isBehindWindow ? ['--window'] : [])];
  const started = startChild(node, args, { env: { SVC_AGENT_STATE_DIR: stateDir }, stdin: 'pipe' });
  // On standard input, so that the token stands in no argument list, environment or log.
  started.child.stdin.on('error', () => {});
  started.child.stdin.end(`${ready.enrollToken ?? ''}\n`);
  started.exited.then(({ code }) => {
    if (code)
      console.error(
        `The endpoint agent ended (${code}); the control plane goes on. Run "npm run svc-agent -- diagnose" to see why.`,
      );
  });
  return started;
}

function startWindow(stateDir) {
  const started = startFace(stateDir);
  started.exited.then(({ code }) => {
    if (code) console.error(`The agent's window ended (${code}). Without one: npm start -- --no-window`);
  });
  return started;
}

/** Starts server, agent and, where it can be seen, the agent's window; gives a function that stops all in order. */
export async function startAll({ agent = true, window = false, env: more = {}, main = serverMain } = {}) {
  const node = ensureSetup({ for: 'start' });
  // Whoever names a level wants the log as it is; everybody else wants to find the links, and to hear of what is wrong.
  const logLevel = setting('SVC_LOG_LEVEL');
  // No load balancer stands before a checkout: Ctrl-C need not wait for one.
  const otlp = await chooseOtlpAddresses(setting);
  const env = {
    SVC_DRAIN_GRACE_SECONDS: setting('SVC_DRAIN_GRACE_SECONDS') ?? '0',
    SVC_LOG_LEVEL: logLevel ?? 'warn',
    ...otlp.env,
    ...more,
  };
  const stdout = logLevel ? 'inherit' : 'pipe';
  const server = startChild(node, [...nodeFlags, main], { env, stdout });
  if (server.child.stdout) showInWords(server.child.stdout, process.stdout);
  let ready;
  try {
    ready = await waitForMessage(server, 'ready');
  } catch (error) {
    await stopChild(server);
    process.exit(error.exitCode ?? 1);
  }
  const dataDir = ready.dataDir ?? setting('SVC_DATA_DIR') ?? join(root, 'data');
  const stateDir = join(dataDir, 'agent');
  const isBehindWindow = agent && window && canShowFace();
  const agentChild = agent ? startAgent(node, ready, { stateDir, isBehindWindow }) : undefined;
  const face = isBehindWindow ? startWindow(stateDir) : undefined;
  const stop = async () => {
    await stopChild(face);
    await stopChild(agentChild);
    await stopChild(server);
  };
  return { ready: { ...ready, notes: [...(ready.notes ?? []), ...otlp.notes] }, server, stop, node };
}

/** Resolves when npm is gone: a SIGTERM to npm ends the shell between us and never reaches this process. */
function parentEnd() {
  const parent = process.ppid;
  if (!setting('npm_lifecycle_event')) return new Promise(() => {});
  return new Promise((resolve) => {
    setInterval(() => process.ppid !== parent && resolve('parent gone'), 500).unref();
  });
}

/** Runs until Ctrl-C, SIGTERM or the server's own end; stops everything in order. */
export async function runUntilStopped({ server, stop }) {
  const signal = new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, () => resolve(name));
  });
  const ended = await Promise.race([signal, parentEnd(), server.exited.then(({ code }) => ({ code }))]);
  if (typeof ended === 'string') process.stderr.write('\nStopping: finishing what was accepted ...\n');
  await stop();
  process.exit(typeof ended === 'string' ? 0 : (ended.code ?? 1));
}

if (import.meta.filename === process.argv[1]) {
  const { values } = parseArgs({
    options: { 'no-agent': { type: 'boolean' }, 'no-window': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(HELP);
  } else {
    const all = await startAll({ agent: !values['no-agent'], window: !values['no-window'] });
    printBanner(all.ready);
    await runUntilStopped(all);
  }
}
