import { beforeAll } from 'vitest';
import { describeProvider, EXPECTED } from './provider.contract.ts';
import { type Authority, makeAuthority } from './test-providers.ts';

let authority: Authority;
beforeAll(async () => {
  authority = await makeAuthority();
});

for (const expected of EXPECTED) describeProvider(expected, () => authority);
