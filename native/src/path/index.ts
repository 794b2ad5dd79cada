import { pickAdapter } from '../platform.ts';
import * as darwin from './darwin.ts';
import * as linux from './linux.ts';
import type { EchoHost, PingGateway, ProbeSizes, TracePath, TryEcho } from './path.ts';
import * as win32 from './win32.ts';

const adapter = pickAdapter({ linux, darwin, win32 });

export const tracePath: TracePath = adapter.tracePath;
export const pingGateway: PingGateway = adapter.pingGateway;
export const probeSizes: ProbeSizes = adapter.probeSizes;
export const echoHost: EchoHost = adapter.echoHost;
export const tryEcho: TryEcho = adapter.tryEcho;
