// Prints the devices that are slow now, worst first, with the server's own types.
//
//   NODE_EXTRA_CA_CERTS=data/tls/ca.crt node docs/examples/client.ts https://localhost:8443 svc_pat_...
//
// The token comes from the console (People and tokens) or `npm run svc -- token create --tenant default --role viewer`.
import type { AppRouter } from '@svc/server';
import { createTRPCClient, httpBatchLink } from '@trpc/client';

const [url, token] = process.argv.slice(2);
if (!url || !token) {
  console.error('usage: node client.ts URL TOKEN');
  process.exit(2);
}

const client = createTRPCClient<AppRouter>({
  links: [httpBatchLink({ url: `${url}/trpc`, headers: { authorization: `Bearer ${token}` } })],
});

const page = await client.endpoint.list.query({
  filter: { verdict: ['wifi', 'local', 'isp', 'network', 'unknown'] },
  sort: [{ column: 'worst_session_ms', desc: true }],
  limit: 20,
  offset: 0,
});

console.log(`${page.matched} of ${page.total} devices are slow.`);
for (const device of page.items) console.log(`${device.name ?? device.id}: ${device.summary ?? device.verdict}`);
