import { boundHeapGrowth, letThreadsChooseYoungHeap, relaxExternalMemory } from '#kernel';
import { serve } from './serve.ts';

relaxExternalMemory();
boundHeapGrowth();
letThreadsChooseYoungHeap();
const code = await serve();
// A failed start has closed what it opened; nothing that is left may keep the process.
if (code !== 0) process.exit(code);
