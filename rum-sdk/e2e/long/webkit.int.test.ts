import { describeEngine } from '../engines.contract.ts';
import { startWebKit, webkitUnavailable } from '../test-webkit.ts';

describeEngine('WebKitGTK', { browser: 'safari', missing: webkitUnavailable(), start: startWebKit });
