// Webhooks of the demo's tenant, and the deliveries of those who tell of changes by them: signed, over HTTPS, as anybody's are.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { dirname, join } from 'node:path';
import { HOOKS, planChanges, planRefused, planShop, RULES } from './change-plan.js';
import { githubOther, headersOf } from './forge-bodies.js';
import { authorityOf, callServer } from './server.js';

const TICK_MS = 5_000;
const DAY_MS = 86_400_000;
/** Deliveries on their way at a time, while the past is told of. */
const AT_A_TIME = 8;
const WRONG = 'a secret that was taken from it';

function readSecrets(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** A secret is shown once: kept here for the next start, and made anew where it is lost. */
async function settleHook(at, { hook, known, secrets }) {
  const { name, provider } = HOOKS[hook];
  const found = known.find((one) => one.name === name && one.provider === provider);
  if (found && secrets[found.id]) return { id: found.id, provider, secret: secrets[found.id] };
  const path = found ? `/v1/change-webhooks/${found.id}/rotate` : '/v1/change-webhooks';
  const { status, body } = await callServer(at, { method: 'POST', path, body: found ? {} : { name, provider } });
  if (status !== 200 && status !== 201)
    throw new Error(`The demo's webhook ${name} could not be made: the server answered ${status}.`);
  const { id } = body.webhook;
  secrets[id] = body.secret;
  if (!found && RULES[hook])
    await callServer(at, { method: 'PUT', path: `/v1/change-webhooks/${id}/targets`, body: { rules: RULES[hook] } });
  return { id, provider, secret: body.secret, isNew: !found };
}

async function settleHooks(at, file) {
  const { status, body } = await callServer(at, { path: '/v1/change-webhooks' });
  if (status !== 200) throw new Error(`The demo's webhooks could not be read: the server answered ${status}.`);
  const secrets = readSecrets(file);
  const hooks = {};
  for (const hook of Object.keys(HOOKS)) hooks[hook] = await settleHook(at, { hook, known: body.items, secrets });
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify(secrets), { mode: 0o600 });
  return hooks;
}

/** The same for the same delivery, so that one that was made before is known again. */
const deliveryIdOf = (key) => createHash('sha256').update(key).digest('hex').slice(0, 32);

/** Lost where the server is away, as a forge's is; the status of the answer else. */
function deliver({ server, agent }, { id, provider, secret }, delivery) {
  const text = JSON.stringify(delivery.body);
  const signed =
    delivery.isSigned === false
      ? {}
      : headersOf({ provider, secret, id: deliveryIdOf(delivery.key), event: delivery.event ?? '', text });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...signed };
  return new Promise((resolve) => {
    const call = request(new URL(`/ingest/changes/${provider}/${id}`, server), { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode));
    });
    call.once('error', () => resolve(undefined));
    call.end(text);
  });
}

async function tellAll(to, hooks, deliveries) {
  const queue = deliveries.values();
  const tellSome = async () => {
    for (const delivery of queue) await deliver(to, hooks[delivery.hook], delivery);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, tellSome));
}

/** What came before the demo's first start: a ping, the shop's own story, and what a build server was refused for. */
function firstOf(hooks, nowMs) {
  const ping = { hook: 'github', key: 'github ping', ...githubOther('ping') };
  return [
    ...(hooks.github.isNew ? [ping] : []),
    ...(hooks.calendar.isNew ? planShop(nowMs) : []),
    ...(hooks.old.isNew ? planRefused({ fromMs: nowMs - DAY_MS / 12, toMs: nowMs }) : []),
  ];
}

/**
 * Makes the webhooks, tells of the last day, and goes on; gives how many there are and what ends it.
 * @param {{ server: string, dataDir: string, token: string }} at
 * @param {{ tenant: string }} of
 */
export async function startChanges(at, { tenant }) {
  const hooks = await settleHooks(at, join(at.dataDir, tenant, 'webhooks.json'));
  const agent = new Agent({ ca: readFileSync(authorityOf(at.dataDir)), keepAlive: true, maxSockets: AT_A_TIME });
  const to = { server: at.server, agent };
  const withWrong = { ...hooks, old: { ...hooks.old, secret: WRONG } };
  let toldMs = Date.now();
  await tellAll(to, withWrong, [
    ...firstOf(hooks, toldMs),
    ...planChanges({ fromMs: toldMs - DAY_MS, toMs: toldMs, nowMs: toldMs }),
  ]);
  const timer = setInterval(() => {
    const nowMs = Date.now();
    const span = { fromMs: toldMs, toMs: nowMs, nowMs };
    toldMs = nowMs;
    void tellAll(to, withWrong, [...planChanges(span), ...planRefused(span)]);
  }, TICK_MS);
  const stop = () => {
    clearInterval(timer);
    agent.destroy();
  };
  return { count: Object.keys(hooks).length, stop };
}
