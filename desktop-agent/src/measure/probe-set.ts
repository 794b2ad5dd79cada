import type { ReadResolvers } from '@svc/native/resolvers/resolvers';
import type { ReadTraffic } from '@svc/native/traffic/traffic';
import type { ReadWifi } from '@svc/native/wifi/wifi';
import type { MeasureForwarding } from '@svc/probes/forwarding';
import type { MeasureGateway } from '@svc/probes/gateway';
import type { MeasurePath } from '@svc/probes/path';
import type { MeasurePathMtu } from '@svc/probes/path-mtu';
import type { MeasureResolver } from '@svc/probes/resolver';
import type { SessionMeasurement } from '@svc/probes/session';

/** What can be measured, injected: the real probes on a device, recorded ones in tests. */
export interface ProbeSet {
  readWifi: ReadWifi;
  readResolvers: ReadResolvers;
  /** Without it nobody knows whether this device itself fills its line. */
  readTraffic?: ReadTraffic;
  measureGateway: MeasureGateway;
  measureForwarding: MeasureForwarding;
  measurePath: MeasurePath;
  measurePathMtu: MeasurePathMtu;
  measureResolver: MeasureResolver;
  measureSession: (request: SessionOrder) => Promise<SessionMeasurement>;
}

export interface SessionOrder {
  url: string;
  /** PEM; trusted alone instead of this device's roots. */
  authority?: string;
  /** Gives `scheme://host:port` of the proxy for a URL, or null for none. */
  proxyFor?: (url: string) => Promise<string | null>;
  maxRedirects?: number;
  timeoutMs?: number;
  signal: AbortSignal;
}
