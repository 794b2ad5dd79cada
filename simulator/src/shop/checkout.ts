import { callHttp, callProvider, callRpc, query } from './calls.ts';
import { KIND } from './signals.ts';
import { begin, end, fail, isEntry, log, spend, type Trace, type Work } from './trace.ts';

const SLOW_PROVIDER_MS = 1500;
const CURRENCY = 'EUR';

export interface Order {
  id: string;
  cents: number;
  items: number;
  hasVoucher: boolean;
}

export function makeOrder({ random }: Trace): Order {
  const items = 1 + Math.floor(random.next() * 4);
  return {
    id: `o-${Math.floor(random.next() * 0xffff_ffff).toString(36)}`,
    cents: items * Math.round(random.between(590, 8900)),
    items,
    hasVoucher: random.next() < 0.35,
  };
}

const VOUCHER_FAULT = {
  type: 'java.lang.NullPointerException',
  message: 'Cannot invoke "Voucher.discount()" because "voucher" is null',
  stack: [
    '\tat shop.checkout.pricing.VoucherPricing.apply(VoucherPricing.java:58)',
    '\tat shop.checkout.CheckoutService.place(CheckoutService.java:112)',
    '\tat shop.checkout.CheckoutController.checkout(CheckoutController.java:41)',
  ].join('\n'),
};

/** POST /checkout inside checkout: cart, stock, payment, parcel, and the order on Kafka for who comes later. Gives the status code. */
export function placeOrder(work: Work, order: Order): number {
  const { trace } = work;
  Object.assign(work.span.attributes, {
    'app.order.id': order.id,
    'app.order.amount_cents': order.cents,
    'app.order.items': order.items,
    'app.order.has_voucher': order.hasVoucher,
  });
  spend(work, 3);
  callHttp(work, { to: 'cart', method: 'GET', route: '/carts/{id}', path: '/carts/c-81' }, readCart);
  if (trace.incidents.isBadDeploy && order.hasVoucher) {
    fail(work, VOUCHER_FAULT);
    return 500;
  }
  callRpc(work, { to: 'inventory', rpcService: 'shop.Inventory', method: 'Reserve' }, reserve);
  const paid = callHttp(work, { to: 'payment', method: 'POST', route: '/charges' }, (inner) => charge(inner, order));
  if (paid >= 400) {
    callRpc(work, { to: 'inventory', rpcService: 'shop.Inventory', method: 'Release' }, reserve);
    log(work, {
      severity: 'ERROR',
      body: `order ${order.id} not placed: payment answered ${paid}`,
      attributes: { 'app.order.id': order.id },
    });
    return 502;
  }
  callHttp(work, { to: 'shipping', method: 'POST', route: '/quotes' }, quote);
  query(work, insertOf('orders'));
  publishOrder(work, order);
  spend(work, 2);
  log(work, {
    severity: 'INFO',
    body: `order ${order.id} placed: ${order.items} items, ${(order.cents / 100).toFixed(2)} ${CURRENCY}`,
    attributes: { 'app.order.id': order.id, 'app.order.amount_cents': order.cents },
  });
  return 201;
}

const insertOf = (table: string) =>
  ({
    system: 'postgresql',
    operation: 'INSERT',
    target: table,
    text: `INSERT INTO ${table} VALUES ($1, $2, $3, $4) RETURNING id`,
    medianMs: 2.2,
  }) as const;

function readCart(work: Work): number {
  spend(work, 1);
  query(work, { system: 'redis', operation: 'HGETALL', target: 'cart', text: 'HGETALL cart:?', medianMs: 0.5 });
  return 200;
}

function reserve(work: Work): number {
  spend(work, 1);
  const text = 'UPDATE stock SET reserved = reserved + $1 WHERE sku = $2';
  const ms = query(work, { system: 'postgresql', operation: 'UPDATE', target: 'stock', text, medianMs: 3.5 });
  if (ms > 9) {
    log(work, {
      severity: 'WARN',
      body: `slow query: UPDATE stock took ${ms.toFixed(1)} ms`,
      attributes: { 'db.collection.name': 'stock' },
    });
  }
  return 0;
}

function charge(work: Work, order: Order): number {
  spend(work, 2);
  const { status, ms } = callProvider(work);
  const attributes = { 'server.address': 'api.pay.example', 'app.order.id': order.id };
  if (status === 200) {
    if (ms > SLOW_PROVIDER_MS)
      log(work, { severity: 'WARN', body: `payment provider answered after ${Math.round(ms)} ms`, attributes });
    query(work, insertOf('payments'));
    return 201;
  }
  if (status === 503) {
    log(work, { severity: 'ERROR', body: 'payment provider answered 503, giving up', attributes });
    return 502;
  }
  const stack =
    '    at ClientRequest.<anonymous> (/app/src/provider.js:44:19)\n    at Timeout._onTimeout (/app/src/provider.js:71:11)';
  fail(work, { type: 'TimeoutError', message: 'payment provider: no answer within 5000 ms', stack });
  return 504;
}

function quote(work: Work): number {
  spend(work, 6);
  query(work, { system: 'redis', operation: 'GET', target: 'rates', text: 'GET rates:?', medianMs: 0.4 });
  return 200;
}

/** The producer's span, and what its two consumers do with the message a little later. */
function publishOrder(work: Work, order: Order): void {
  const { trace } = work;
  const messaging = { 'messaging.system': 'kafka', 'messaging.destination.name': 'orders', 'messaging.message.id': order.id };
  const producer = begin(trace, {
    service: 'checkout',
    name: 'send orders',
    kind: KIND.producer,
    atMs: work.atMs,
    parent: work.span,
    attributes: { ...messaging, 'messaging.operation.type': 'send', 'server.address': 'kafka', 'server.port': 9092 },
  });
  spend(producer, 1.8);
  end(producer);
  work.atMs = producer.atMs;
  for (const service of ['shipping', 'email'] as const) {
    const consumer = begin(trace, {
      service,
      name: 'process orders',
      kind: KIND.consumer,
      atMs: producer.atMs + trace.random.between(4, 60),
      parent: producer.span,
      attributes: { ...messaging, 'messaging.operation.type': 'process', 'messaging.consumer.group.name': service },
    });
    consumer.span.links.push({
      traceId: producer.span.traceId,
      spanId: producer.span.spanId,
      attributes: { 'messaging.message.id': order.id },
    });
    if (service === 'shipping') bookParcel(consumer, order);
    else sendConfirmation(consumer, order);
    end(consumer);
  }
}

function bookParcel(work: Work, order: Order): void {
  spend(work, 12);
  query(work, insertOf('parcels'));
  log(work, { severity: 'INFO', body: `parcel booked for order ${order.id}`, attributes: { 'app.order.id': order.id } });
}

function sendConfirmation(work: Work, order: Order): void {
  const render = begin(work.trace, {
    service: 'email',
    name: 'render template',
    kind: KIND.internal,
    atMs: work.atMs,
    parent: work.span,
    attributes: { 'app.template': 'order-confirmation', 'app.languages': ['en', 'de'] },
  });
  spend(render, 25);
  end(render);
  work.atMs = render.atMs;
  spend(work, 40);
  log(work, { severity: 'INFO', body: `confirmation sent for order ${order.id}`, attributes: { 'app.order.id': order.id } });
}

/** Orders that a trace placed: what the business counts. */
export const ordersOf = (trace: Trace): number[] =>
  trace.spans
    .filter((span) => isEntry(span) && span.attributes['http.response.status_code'] === 201 && 'app.order.id' in span.attributes)
    .map((span) => Number(span.attributes['app.order.amount_cents']));
