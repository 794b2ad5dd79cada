import { execFileSync } from 'node:child_process';
import { MANAGED_KEY, readManaged } from '../managed.ts';

/** For a test on Windows: what is read of a registry without the key, and with it. */
const before = readManaged();
const add = (name: string, type: string, value: string): void => {
  execFileSync('C:\\Windows\\System32\\reg.exe', ['add', MANAGED_KEY, '/v', name, '/t', type, '/d', value, '/f'], {
    stdio: 'ignore',
  });
};
add('server', 'REG_SZ', 'https://monitor.example:8443');
add('enrolToken', 'REG_SZ', `svc_enr_${'a'.repeat(32)}`);
add('site', 'REG_SZ', 'Building 4, north');
add('ownerEmail', 'REG_SZ', '');
add('wifiIntervalSeconds', 'REG_DWORD', '30');
add('traceTargets', 'REG_MULTI_SZ', '192.0.2.53\\0ns.example');
console.log(JSON.stringify({ before, after: readManaged() }));
