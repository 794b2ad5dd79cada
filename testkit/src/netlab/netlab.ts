import { type ChildProcess, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CertificateSet, createCertificateSet } from './certificates.ts';
import {
  collectOutput,
  type ExecOptions,
  type ExecResult,
  insideNamespace,
  NOBODY,
  netlabUnavailable,
  runProgram,
  startProgram,
} from './commands.ts';
import { type Helper, startHelper } from './control.ts';
import type { LinkSettings } from './link/link-settings.ts';
import type { ServerSettings } from './server/server-settings.ts';
import { addressLines, HOPS, interfaceOf, LINKS, NODES, type NodeName, SERVER, SERVER_NAME, SERVER_NAMES } from './topology.ts';

export { HOPS, type LinkSettings, type NodeName, netlabUnavailable, SERVER };

export interface NetlabOptions {
  /** Link 0 joins client and gateway, 1 gateway and ISP edge, 2 the two routers beyond, 3 the last router and the server. */
  readonly links?: readonly LinkSettings[];
  /** Ordinary users of the client may open ICMP datagram sockets; default false, as on Debian 12. */
  readonly icmpSockets?: boolean;
  /** False: routers answer without the kernel's usual limit (burst 6, then one a second); default true. */
  readonly icmpRateLimit?: boolean;
}

export interface Netlab {
  /** Addresses that answer at each distance from the client, the server last. */
  readonly hops: typeof HOPS;
  readonly server: typeof SERVER;
  /** https://app.lab.test/, resolved by the lab's own DNS server; the same by address. */
  readonly urls: {
    readonly https: string;
    readonly http: string;
    readonly httpsV4: string;
    readonly httpsV6: string;
    readonly proxy: string;
  };
  /** PEM of the authority behind the server's certificate, and the file with it that every user may read. */
  readonly ca: string;
  readonly caFile: string;
  /** What its servers may show: one that is valid, and those that must be refused. */
  readonly certificates: CertificateSet['pairs'];
  /** In force when it resolves; what is not named stays. */
  setLink: (link: 0 | 1 | 2 | 3, settings: LinkSettings) => Promise<void>;
  setServer: (settings: ServerSettings) => Promise<void>;
  /** Addresses of the client's DNS servers, and how long it waits for each (default 2 s). */
  setResolvers: (servers: readonly string[], timeoutSeconds?: number) => Promise<void>;
  /** Runs a program on a node to its end, by default as an ordinary user without capabilities. */
  exec: (node: NodeName, argv: readonly string[], options?: ExecOptions) => Promise<ExecResult>;
  /** Starts a program on a node; ended with the lab. */
  start: (node: NodeName, argv: readonly string[], options?: ExecOptions) => ChildProcess;
  /** Ends what runs in it and removes every trace. May be called twice. */
  close: () => Promise<void>;
}

const NETNS_FOLDER = '/run/netns';
const PREFIX = 'svclab';
const caFolder = (id: string): string => path.join(os.tmpdir(), id);
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const resolverFolder = (namespace: string): string => `/etc/netns/${namespace}`;

/** Makes the lab; what it made is removed again where that fails half-way. Labs stand beside each other without touching. */
export async function createNetlab(options: NetlabOptions = {}): Promise<Netlab> {
  const reason = netlabUnavailable();
  if (reason) throw new Error(`no network lab: ${reason}`);
  await sweepAbandoned();
  const id = `${PREFIX}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const cleanUpNow = (): void => removeNow(id);
  process.once('exit', cleanUpNow);
  const children = new Set<ChildProcess>();
  try {
    await layCables(id, options);
    const link = await startHelper(startLink(id, children));
    const { server, ...trust } = await startServer(id, children);
    for (const [at, settings] of (options.links ?? []).entries()) await link.set({ link: at, ...settings });
    return describeLab({ id, children, link, server, trust, cleanUpNow });
  } catch (error) {
    for (const child of children) child.kill('SIGKILL');
    await removeLab(id);
    process.off('exit', cleanUpNow);
    throw error;
  }
}

interface Parts {
  readonly id: string;
  readonly children: Set<ChildProcess>;
  readonly link: Helper;
  readonly server: Helper;
  readonly trust: Pick<Netlab, 'ca' | 'caFile' | 'certificates'>;
  readonly cleanUpNow: () => void;
}

function describeLab(parts: Parts): Netlab {
  const { id, children, link, server, trust } = parts;
  const start = (node: NodeName, argv: readonly string[], options: ExecOptions = {}): ChildProcess => {
    const child = startProgram(insideNamespace(`${id}-${node}`, argv, options.uid ?? NOBODY), options);
    children.add(child);
    child.once('close', () => children.delete(child));
    return child;
  };
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await Promise.all([link.close(), server.close()]);
    for (const child of children) child.kill('SIGKILL');
    await removeLab(id);
    process.off('exit', parts.cleanUpNow);
  };
  return {
    hops: HOPS,
    server: SERVER,
    urls: {
      https: `https://${SERVER_NAME}/`,
      http: `http://${SERVER_NAME}/`,
      httpsV4: `https://${SERVER.v4}/`,
      httpsV6: `https://[${SERVER.v6}]/`,
      proxy: `http://${SERVER.v4}:3128`,
    },
    ...trust,
    setLink: (at, settings) => link.set({ link: at, ...settings }),
    setServer: (settings) => server.set(settings),
    setResolvers: (servers, timeoutSeconds) => writeResolvers(id, servers, timeoutSeconds),
    exec: (node, argv, execOptions = {}) => collectOutput(start(node, argv, execOptions), execOptions),
    start,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Namespaces, interfaces, addresses and routes. Every link runs through the namespace `wire`, where the delays are made. */
async function layCables(id: string, options: NetlabOptions): Promise<void> {
  for (const name of [...NODES, 'wire']) await runProgram(['ip', 'netns', 'add', `${id}-${name}`]);
  await setKernel(`${id}-wire`, ['net/ipv6/conf/all/disable_ipv6=1', 'net/ipv6/conf/default/disable_ipv6=1']);
  for (const name of NODES) await setKernel(`${id}-${name}`, kernelSettings(name, options));
  const cables = LINKS.flatMap((_, link) => [link, link + 1].map((node) => cableLine(id, node, link)));
  await runProgram(['ip', '-batch', '-'], cables.join('\n'));
  const wire = LINKS.flatMap((_, link) => [`link set a${link} up`, `link set b${link} up`]);
  await runProgram(['ip', '-n', `${id}-wire`, '-batch', '-'], wire.join('\n'));
  for (const [at, name] of NODES.entries()) {
    await runProgram(['ip', '-n', `${id}-${name}`, '-batch', '-'], addressLines(at).join('\n'));
  }
  await mkdir(resolverFolder(`${id}-client`), { recursive: true });
  await writeResolvers(id, [SERVER.v4]);
}

const writeResolvers = (id: string, servers: readonly string[], timeoutSeconds = 2): Promise<void> =>
  writeFile(
    `${resolverFolder(`${id}-client`)}/resolv.conf`,
    [...servers.map((server) => `nameserver ${server}`), `options timeout:${timeoutSeconds} attempts:1`, ''].join('\n'),
  );

/** Before there are interfaces, so that these inherit the defaults. */
function kernelSettings(name: NodeName, options: NetlabOptions): string[] {
  const common = ['net/ipv6/conf/all/accept_dad=0', 'net/ipv6/conf/default/accept_dad=0'];
  const limits = options.icmpRateLimit === false ? ['net/ipv4/icmp_ratelimit=0', 'net/ipv6/icmp/ratelimit=0'] : [];
  if (name !== 'client' && name !== 'server') {
    return [...common, ...limits, 'net/ipv4/ip_forward=1', 'net/ipv6/conf/all/forwarding=1'];
  }
  return [...common, ...limits, `net/ipv4/ping_group_range=${options.icmpSockets ? '0 2147483647' : '1 0'}`];
}

const cableLine = (id: string, node: number, link: number): string =>
  `link add ${interfaceOf(node, link)} netns ${id}-${NODES[node]} type veth peer name ${node === link ? 'a' : 'b'}${link} netns ${id}-wire`;

async function setKernel(namespace: string, settings: readonly string[]): Promise<void> {
  const lines = settings.map((setting) => setting.split('=')).map(([file, value]) => `echo "${value}" > /proc/sys/${file}`);
  await runProgram(['ip', 'netns', 'exec', namespace, 'sh', '-ec', lines.join('\n')]);
}

function startLink(id: string, children: Set<ChildProcess>): ChildProcess {
  const pairs = LINKS.map((_, link) => `a${link}:b${link}`);
  const child = startProgram(insideNamespace(`${id}-wire`, [process.execPath, script('link/link-main.ts'), ...pairs], 0), {});
  children.add(child);
  return child;
}

/** Of all labs of this process. */
let certificates: Promise<CertificateSet> | undefined;

async function startServer(id: string, children: Set<ChildProcess>): Promise<{ server: Helper } & Parts['trust']> {
  certificates ??= createCertificateSet({ dns: SERVER_NAMES, ip: [SERVER.v4, SERVER.v6] });
  const { ca, pairs } = await certificates;
  const caFile = path.join(caFolder(id), 'ca.pem');
  await mkdir(caFolder(id), { mode: 0o755 });
  await writeFile(caFile, ca, { mode: 0o644 });
  const argv = insideNamespace(`${id}-server`, [process.execPath, script('server/server-main.ts')], 0);
  const child = startProgram(argv, {});
  children.add(child);
  const server = await startHelper(child);
  await server.set({ pairs });
  return { server, ca, caFile, certificates: pairs };
}

async function removeLab(id: string): Promise<void> {
  const names = (await readdir(NETNS_FOLDER).catch(() => [])).filter((name) => name.startsWith(`${id}-`));
  for (const name of names) await runProgram(['ip', 'netns', 'del', name]).catch(() => undefined);
  await Promise.all([resolverFolder(`${id}-client`), caFolder(id)].map((folder) => rm(folder, { recursive: true, force: true })));
}

/** At the end of a process that did not close its lab. */
function removeNow(id: string): void {
  for (const name of [...NODES, 'wire']) {
    try {
      execFileSync('ip', ['netns', 'del', `${id}-${name}`], { stdio: 'ignore' });
    } catch {
      // Gone already, or never made.
    }
  }
  for (const folder of [resolverFolder(`${id}-client`), caFolder(id)]) rmSync(folder, { recursive: true, force: true });
}

/** Labs of processes that were killed are taken away by the next one. */
async function sweepAbandoned(): Promise<void> {
  const names = await readdir(NETNS_FOLDER).catch(() => []);
  const ids = new Set(names.flatMap((name) => /^(svclab-\d+-[0-9a-f]{6})-/.exec(name)?.[1] ?? []));
  for (const id of ids) {
    if (!isAlive(Number(id.split('-')[1]))) await removeLab(id);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
