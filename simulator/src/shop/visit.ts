import { callHttp, callRpc, type HttpCall, query, serveHttp } from './calls.ts';
import { makeOrder, placeOrder } from './checkout.ts';
import { KIND } from './signals.ts';
import { begin, log, spend, type Trace, type Work } from './trace.ts';

const WORDS = ['rain jacket', 'kettle', 'desk lamp', 'running shoes', 'backpack', 'tea', 'headphones'] as const;
const BROWSERS = ['Chrome/140.0', 'Firefox/144.0', 'Safari/26.0'] as const;

type Visit = (work: Work) => number;

interface Journey {
  share: number;
  method: string;
  route: string;
  visit: Visit;
}

function readProduct(work: Work): number {
  spend(work, 0.8);
  const isCached = work.trace.random.next() < 0.8;
  query(work, { system: 'redis', operation: 'GET', target: 'product', text: 'GET product:?', medianMs: 0.5 });
  work.span.attributes['app.cache.hit'] = isCached;
  if (!isCached) {
    const text = 'SELECT id, name, price_cents FROM products WHERE id = $1';
    query(work, { system: 'postgresql', operation: 'SELECT', target: 'products', text, medianMs: 3 });
    query(work, { system: 'redis', operation: 'SET', target: 'product', text: 'SET product:? ?', medianMs: 0.5 });
  }
  return 0;
}

function visitHome(work: Work): number {
  spend(work, 4);
  callRpc(work, { to: 'catalogue', rpcService: 'shop.Catalogue', method: 'ListFeatured' }, readProduct);
  spend(work, 6);
  return 200;
}

function visitProduct(work: Work): number {
  spend(work, 3);
  // Now and then somebody follows an old link.
  const isGone = work.trace.random.next() < 0.02;
  callRpc(work, { to: 'catalogue', rpcService: 'shop.Catalogue', method: 'GetProduct' }, (inner) => {
    readProduct(inner);
    return isGone ? 5 : 0;
  });
  if (isGone) {
    log(work, {
      severity: 'WARN',
      body: 'no such product',
      attributes: { 'url.path': String(work.span.attributes['url.path'] ?? '') },
    });
    return 404;
  }
  callRpc(work, { to: 'inventory', rpcService: 'shop.Inventory', method: 'GetStock' }, (inner) => {
    spend(inner, 0.6);
    const text = 'SELECT available FROM stock WHERE sku = $1';
    query(inner, { system: 'postgresql', operation: 'SELECT', target: 'stock', text, medianMs: 1.6 });
    return 0;
  });
  spend(work, 5);
  return 200;
}

function visitSearch(work: Work): number {
  const words = work.trace.random.pick(WORDS);
  spend(work, 3);
  callHttp(work, { to: 'search', method: 'GET', route: '/search', path: `/search?q=${encodeURIComponent(words)}` }, (inner) => {
    inner.span.attributes['app.search.words'] = words;
    spend(inner, 28);
    callRpc(inner, { to: 'catalogue', rpcService: 'shop.Catalogue', method: 'GetProducts' }, readProduct);
    const hits = Math.floor(inner.trace.random.next() * 40);
    log(inner, { severity: 'DEBUG', body: `search "${words}" found ${hits}`, attributes: { 'app.search.hits': hits } });
    return 200;
  });
  spend(work, 6);
  return 200;
}

function addToCart(work: Work): number {
  spend(work, 2);
  callHttp(work, { to: 'cart', method: 'POST', route: '/carts/{id}/items', path: '/carts/c-81/items' }, (inner) => {
    callRpc(inner, { to: 'catalogue', rpcService: 'shop.Catalogue', method: 'GetProduct' }, readProduct);
    query(inner, { system: 'redis', operation: 'HSET', target: 'cart', text: 'HSET cart:? ? ?', medianMs: 0.6 });
    return 201;
  });
  return 303;
}

function visitCheckout(work: Work): number {
  const order = makeOrder(work.trace);
  spend(work, 3);
  const status = callHttp(work, { to: 'checkout', method: 'POST', route: '/checkout' }, (inner) => placeOrder(inner, order));
  spend(work, 4);
  return status >= 500 ? 502 : 303;
}

const JOURNEYS: readonly Journey[] = [
  { share: 0.3, method: 'GET', route: '/', visit: visitHome },
  { share: 0.34, method: 'GET', route: '/products/{id}', visit: visitProduct },
  { share: 0.16, method: 'GET', route: '/search', visit: visitSearch },
  { share: 0.12, method: 'POST', route: '/cart/items', visit: addToCart },
  { share: 0.08, method: 'POST', route: '/checkout', visit: visitCheckout },
];

function chooseJourney(drawn: number): Journey {
  let left = drawn;
  for (const journey of JOURNEYS) {
    left -= journey.share;
    if (left < 0) return journey;
  }
  return JOURNEYS[0] as Journey;
}

/** Lets one person do one thing in the shop from a moment on (Unix ms): fills the trace with spans and log records. */
export function visitShop(trace: Trace, atMs: number): void {
  const { random } = trace;
  const { method, route, visit } = chooseJourney(random.next());
  const path = route.replace('{id}', String(1000 + Math.floor(random.next() * 900)));
  const call: HttpCall = { to: 'web', method, route, path };
  const work = begin(trace, {
    service: 'web',
    name: `${method} ${route}`,
    kind: KIND.server,
    atMs,
    parent: undefined,
    attributes: {
      'url.path': path,
      'server.address': 'shop.example',
      'server.port': 443,
      'client.address': `203.0.113.${1 + Math.floor(random.next() * 250)}`,
      'user_agent.original': `Mozilla/5.0 ${random.pick(BROWSERS)}`,
    },
  });
  const status = serveHttp(work, call, visit);
  work.span.attributes['url.scheme'] = 'https';
  const took = Math.round(work.span.endMs - work.span.startMs);
  log(work, {
    severity: status >= 500 ? 'ERROR' : 'INFO',
    body: `${method} ${path} ${status} ${took} ms`,
    attributes: { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status },
  });
}
