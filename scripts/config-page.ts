import { CONFIG_KEYS as AGENT_KEYS } from '../desktop-agent/src/config.ts';
import { CONFIG_KEYS as SERVER_KEYS } from '../server/src/config.ts';

const HEAD = `# Configuration

Settings are environment variables, read once at the start. Every fault is reported in one go, and the program then ends with exit code 2:
an unknown \`SVC_*\` key, a value that does not parse, keys that only make sense together, and combinations that would be unsafe.
Unset means the default. A checkout needs none of them.
`;

interface Row {
  key: string;
  defaultText: string;
  doc: string;
}

const table = (rows: readonly Row[]): string =>
  [
    '| key | default | what it does |',
    '|---|---|---|',
    ...rows.map(({ key, defaultText, doc }) => `| \`${key}\` | ${defaultText} | ${doc.replaceAll('|', '\\|')} |`),
  ].join('\n');

/** docs/configuration.md as the code has it; a test compares. */
export function describeConfigPage(): string {
  const agent = AGENT_KEYS.map(({ key, default: defaultText, purpose }) => ({ key, defaultText, doc: purpose }));
  return `${HEAD}
## The control plane (\`npm start\`, \`svc\`)

${table(SERVER_KEYS)}

## The endpoint agent (\`svc-agent\`)

The strictest of the device's own settings and the tenant's policy wins: the server can never switch on what the device switched off. What a
managed configuration sets goes before the environment ([deploy-agents.md](devices/deploy-agents.md)).

${table(agent)}

Keys that begin with \`SVC_TEST_\` belong to the tests alone.
`;
}
