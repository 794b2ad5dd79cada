import { serve } from './serve.ts';
import { relaxExternalMemory } from './v8-heap.ts';

relaxExternalMemory();
const code = await serve();
// A failed start has closed what it opened; nothing that is left may keep the process.
if (code !== 0) process.exit(code);
