/** Runs a browser test that lasts, in a process of its own; says when the page is there. */
import { runTest } from '../../synthetic/run-test.ts';
import { spec, toolsWith } from '../../synthetic/testing/servers.ts';
import { CHROMIUM } from './left-behind.ts';

const [target = ''] = process.argv.slice(2);
const steps = Array.from({ length: 5 }, () => ({ do: 'pause' as const, ms: 10_000 }));
setInterval(() => process.stdout.write('.'), 8000);
await runTest(spec({ type: 'browser', target, params: { steps }, timeout_seconds: 60 }), toolsWith({ chromium: CHROMIUM }));
