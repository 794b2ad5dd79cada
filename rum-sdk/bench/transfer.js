// What a page loads of each SDK for real users, from the packages that their makers publish: node rum-sdk/bench/transfer.js. By hand, since
// it downloads; the figures stand in docs/rum/install.md.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildScript, version } from '../compile.js';
import { findWeight } from '../weigh.js';

const OTHERS = [
  ['web-vitals@6.2.3', 'dist/web-vitals.iife.js'],
  ['@grafana/faro-web-sdk@2.12.1', 'dist/bundle/faro-web-sdk.iife.js'],
  ['@datadog/browser-rum-slim@7.16.0', 'bundle/datadog-rum-slim.js'],
  ['@datadog/browser-rum@7.16.2', 'bundle/datadog-rum.js'],
];

const folder = mkdtempSync(join(tmpdir(), 'svc-transfer-'));
const tell = (name, text) => {
  const { bytes, gzip, brotli } = findWeight(text);
  console.log(`| ${name} | ${bytes.toLocaleString('en')} | ${gzip.toLocaleString('en')} | ${brotli.toLocaleString('en')} |`);
};

console.log('| | minified | gzip | brotli |\n|---|---|---|---|');
tell(`this SDK ${version}`, await buildScript());
for (const [name, file] of OTHERS) {
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', name], { cwd: folder, encoding: 'utf8' }));
  execFileSync('tar', ['xzf', filename], { cwd: folder });
  tell(name.replace(/@(?=[^@]+$)/, ' '), readFileSync(join(folder, 'package', file), 'utf8'));
  rmSync(join(folder, 'package'), { recursive: true });
}
rmSync(folder, { recursive: true });
