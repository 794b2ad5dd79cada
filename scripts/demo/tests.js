// The synthetic tests of the demo's tenant, made over REST as a person's program would make them.
import { callServer } from './server.js';
import { LOOPBACK } from './targets.js';

const every = (seconds, labels = {}) => ({ interval_seconds: seconds, labels: { demo: '', ...labels } });

/**
 * Tests of each type; some fail on a schedule, one for good.
 * @param {{ ports: Record<string, number>, ca?: string }} targets
 */
export function demoTests({ ports, ca }) {
  // Hosts of their own, as in the world: what fails at one is not of the same event as what fails at another.
  const at = (host, name) => `${host}.localhost:${ports[name]}`;
  const shop = `http://${at('shop', 'http')}`;
  const secure = {
    ...{
      name: 'Shop over TLS',
      type: 'https',
      target: `https://localhost:${ports.https}/health`,
      ...every(30, { team: 'shop' }),
    },
    params: { family: 4, tls: { ca_pem: ca }, assertions: { json: [{ path: '$.status', equals: 'up' }], certificate_days: 7 } },
  };
  const steps = [
    { do: 'expect_text', text: 'Open for orders' },
    { do: 'click', on: { role: 'link', name: 'Basket' } },
    { do: 'expect_text', text: 'Nothing in it yet' },
  ];
  return [
    { name: 'Shop', type: 'http', target: `${shop}/`, ...every(30, { team: 'shop' }) },
    {
      ...{
        name: 'Checkout',
        type: 'http',
        target: `http://${at('checkout', 'http')}/checkout/health`,
        ...every(10, { team: 'shop', critical: '' }),
      },
      ...{ failing_after: 3, params: { assertions: { json: [{ path: '$.status', equals: 'up' }] } } },
    },
    {
      name: 'Interface of a partner',
      type: 'http',
      target: `http://${at('partner', 'http')}/partner/health`,
      ...every(60, { team: 'shop' }),
    },
    {
      // At the host whose visitors hurt by the clock: what tests and users say of it agrees and differs in turn.
      ...{ name: 'Checkout page', type: 'http', target: `http://${at('pay', 'http')}/checkout/page` },
      ...{ ...every(10, { team: 'shop' }), failing_after: 3 },
    },
    ...(ports.https ? [secure] : []),
    { name: 'Shop in a browser', type: 'browser', target: `${shop}/`, ...every(300, { team: 'shop' }), params: { steps } },
    {
      ...{ name: 'Name of the shop', type: 'dns', target: 'shop.fennmark.test', ...every(30, { team: 'network' }) },
      params: { resolver: `${LOOPBACK}:${ports.dns}`, assertions: { answers_equal: [LOOPBACK] } },
    },
    { name: 'Gateway', type: 'icmp', target: LOOPBACK, ...every(30, { team: 'network' }) },
    {
      ...{ name: 'Mail', type: 'tcp', target: at('mail', 'tcp'), ...every(20, { team: 'mail' }), failing_after: 3 },
      params: { assertions: { expect_contains: '220 ' } },
    },
    {
      ...{ name: 'Telephone', type: 'udp', target: at('telephone', 'udp'), ...every(30, { team: 'network' }) },
      params: { send: 'ping', assertions: { expect_contains: 'ping' } },
    },
  ];
}

/**
 * Makes them, or changes those of these names to what is here; all other tests of the tenant stay as they are.
 * @param {{ server: string, dataDir: string, token: string }} at
 * @param {{ ports: Record<string, number>, ca?: string }} targets
 */
export async function makeTests(at, targets) {
  const { status, body } = await callServer(at, { method: 'POST', path: '/v1/tests/apply', body: { tests: demoTests(targets) } });
  if (status !== 200)
    throw new Error(
      `The demo's tests could not be made: the server answered ${status}, ${body?.error?.message ?? body?.message ?? ''}`,
    );
  return body.items.length;
}

/** So that a visitor sees an incident resolve and open again within a coffee; the product's own time is a quarter of an hour. */
const RESOLVE_MINUTES = 5;
const USUAL_MINUTES = 15;

/**
 * Has edges of the service map watched too, and incidents resolve sooner; what somebody chose stays as it is.
 * @param {{ server: string, dataDir: string, token: string }} at
 */
export async function watchAll(at) {
  const path = '/v1/incident-settings';
  const { status, body } = await callServer(at, { path });
  if (status !== 200) throw new Error(`The demo's settings could not be read: the server answered ${status}.`);
  if (body.auto_resolve_minutes !== USUAL_MINUTES || body.edge_failing) return;
  await callServer(at, { method: 'PUT', path, body: { auto_resolve_minutes: RESOLVE_MINUTES, edge_failing: true } });
}
