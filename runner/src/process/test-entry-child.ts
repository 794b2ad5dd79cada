// What runner-process.int.test.ts starts: the real thing.
import { serveRunner } from './serve-runner.ts';

serveRunner();
