import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_KEYS, mergeManaged, readConfig } from './config.ts';
import { MANAGED_SETTINGS, parseManaged, parseRegistry, readManagedFile } from './managed.ts';

const token = `svc_enr_${'a'.repeat(32)}.${'b'.repeat(43)}`;
const document = {
  server: 'https://monitor.example:8443/',
  enrolToken: token,
  updates: 'tell',
  site: 'Lyon',
  privacy: 'strict',
  traceTargets: ['192.0.2.53', 'ns.example'],
  wifiIntervalSeconds: 30,
  collectSsid: false,
  ownerEmail: '',
  PayloadVersion: 1,
};

describe('a managed document', () => {
  it('gives server, token and settings by their keys in the environment', () => {
    expect(parseManaged(document, 'place')).toEqual({
      managed: {
        place: 'place',
        server: 'https://monitor.example:8443',
        enrolToken: token,
        updates: 'tell',
        settings: {
          SVC_AGENT_SITE: 'Lyon',
          SVC_ENDPOINT_PRIVACY: 'strict',
          SVC_ENDPOINT_TRACE_TARGETS: '192.0.2.53,ns.example',
          SVC_ENDPOINT_WIFI_INTERVAL_SECONDS: '30',
          SVC_ENDPOINT_COLLECT_SSID: 'false',
        },
      },
      faults: [],
    });
  });

  it('has a name for every key of the configuration but the paths, which its service unit gives, and for no other', () => {
    const paths = ['SVC_AGENT_STATE_DIR', 'SVC_AGENT_SEAT_SOCKET'];
    const keys = CONFIG_KEYS.map(({ key }) => key).filter((key) => !paths.includes(key));
    expect(Object.values(MANAGED_SETTINGS).sort()).toEqual(keys.sort());
  });

  it('with any fault gives nothing at all, tells every fault and never the token', () => {
    const { managed, faults } = parseManaged(
      { ...document, server: 'http://monitor.example', enrolToken: 'secret', updates: 'no', collectBssid: true, site: { a: 1 } },
      'place',
    );
    expect(managed).toBeUndefined();
    expect(faults).toHaveLength(5);
    for (const word of ['https', 'enrolToken', 'updates', 'collectBssid', 'site']) expect(faults.join('\n')).toContain(word);
    expect(faults.join('\n')).not.toContain('secret');
    for (const other of [null, [], 'text', { enrolToken: token }]) expect(parseManaged(other, 'place').faults).toHaveLength(1);
    expect(parseManaged(JSON.parse('{"__proto__": {"a": 1}, "constructor": "x"}'), 'place').faults).toHaveLength(2);
  });
});

describe('goes before the environment', () => {
  const settings = { SVC_AGENT_SITE: 'managed', SVC_ENDPOINT_COLLECT_SSID: 'true', SVC_ENDPOINT_PRIVACY: 'default' };

  it('which goes before the default', () => {
    expect(readConfig(mergeManaged({ SVC_AGENT_SITE: 'own' }, settings)).site).toBe('managed');
    expect(readConfig(mergeManaged({ SVC_AGENT_SITE: 'own' }, {})).site).toBe('own');
  });

  it('but never loosens what the device keeps back', () => {
    expect(readConfig(mergeManaged({ SVC_ENDPOINT_COLLECT_SSID: 'off' }, settings)).collect.ssid).toBe(false);
    expect(readConfig(mergeManaged({ SVC_ENDPOINT_PRIVACY: 'strict' }, settings)).collect.hostFacts).toBe(false);
    const managed = { SVC_ENDPOINT_COLLECT_SSID: 'false' };
    expect(readConfig(mergeManaged({ SVC_ENDPOINT_COLLECT_SSID: 'true' }, managed)).collect.ssid).toBe(false);
  });
});

describe('the file', () => {
  let folder: string;
  let path: string;
  const own = process.getuid?.() ?? 0;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-managed-'));
    path = join(folder, 'managed.json');
    await writeFile(path, JSON.stringify(document), { mode: 0o644 });
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is read where only its owner can write it, and its absence is no fault', async () => {
    expect(readManagedFile(path, own).managed).toMatchObject({ place: path, updates: 'tell' });
    expect(readManagedFile(join(folder, 'none', 'managed.json'), own)).toEqual({ managed: undefined, faults: [] });
  });

  it('is refused where somebody else could have written it', async () => {
    expect(readManagedFile(path, own + 1).faults.join()).toContain('belongs to user');
    await chmod(path, 0o664);
    expect(readManagedFile(path, own).faults.join()).toContain('664');
    await chmod(path, 0o644);
    await chmod(folder, 0o777);
    expect(readManagedFile(path, own).faults.join()).toContain(folder);
    await chmod(folder, 0o755);
    await symlink(path, join(folder, 'link.json'));
    expect(readManagedFile(join(folder, 'link.json'), own).faults.join()).toContain('link');
  });

  it('is refused when it is damaged or too large', async () => {
    await writeFile(path, '{');
    expect(readManagedFile(path, own).faults.join()).toContain('JSON');
    await writeFile(path, ' '.repeat(70_000));
    expect(readManagedFile(path, own).faults.join()).toContain('bytes');
  });
});

it('reads what reg.exe prints: texts, numbers, lists, empty values', () => {
  const printed = [
    '',
    'HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\NetworkObservability\\Agent',
    '    server    REG_SZ    https://monitor.example',
    '    site    REG_SZ    Building 4, north',
    '    ownerEmail    REG_SZ    ',
    '    wifiIntervalSeconds    REG_DWORD    0x1e',
    '    traceTargets    REG_MULTI_SZ    192.0.2.53\\0ns.example',
    '',
    'HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\NetworkObservability\\Agent\\Other',
  ].join('\r\n');
  expect(parseRegistry(printed)).toEqual({
    server: 'https://monitor.example',
    site: 'Building 4, north',
    ownerEmail: '',
    wifiIntervalSeconds: 30,
    traceTargets: ['192.0.2.53', 'ns.example'],
  });
  const lost = parseRegistry('    site    REG_SZ    B\uFFFDro');
  expect(parseManaged(lost, 'key').faults.join()).toContain('site');
});
