// The process of the built-in runner (docs/tests/runners.md).
import { serveRunner } from '@svc/runner/process/serve-runner';

serveRunner();
