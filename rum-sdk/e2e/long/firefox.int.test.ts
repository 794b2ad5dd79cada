import { describeEngine } from '../engines.contract.ts';
import { firefoxUnavailable, startFirefox } from '../test-firefox.ts';

describeEngine('Firefox', { browser: 'firefox', missing: firefoxUnavailable(), start: startFirefox });
