import { letThreadsChooseYoungHeap } from '#kernel';
import { composition } from './compose/index.ts';
import { serve } from './process/serve.ts';

letThreadsChooseYoungHeap();
const code = await serve(composition);
// A failed start has closed what it opened; nothing that is left may keep the process.
if (code !== 0) process.exit(code);
