import { DEFAULT_THRESHOLDS as LIMITS } from '../verdict.ts';
import type { JudgedMeasure, Measure } from './measures.ts';

/** The readings of a row as its columns name them. */
export interface RowReadings {
  wifi_rssi_dbm: number | null;
  wifi_signal_percent: number | null;
  gateway_rtt_ms: number | null;
  gateway_loss_ratio: number | null;
  isp_rtt_ms: number | null;
  isp_loss_ratio: number | null;
  worst_session_ms: number | null;
  worst_session_target: string | null;
}

/**
 * Measures for a verdict whose agent does not name them: the row's readings beside the default limits, without counts. What decided may
 * not be among them; then nothing is named.
 */
export function measuresOfReadings(row: RowReadings): JudgedMeasure[] {
  const make = (measure: Measure, value: number | null, limit: number): JudgedMeasure[] =>
    value === null ? [] : [{ measure, value, limit, samples: null, failed: null, target: null }];
  const signal =
    row.wifi_rssi_dbm === null
      ? make('wifi_signal_percent', row.wifi_signal_percent, LIMITS.wifiSignalPercent)
      : make('wifi_rssi_dbm', row.wifi_rssi_dbm, LIMITS.wifiRssiDbm);
  const session = make('session_total_ms', row.worst_session_ms, LIMITS.sessionTotalMs);
  return [
    ...signal,
    ...make('gateway_loss_ratio', row.gateway_loss_ratio, LIMITS.gatewayLoss),
    ...make('gateway_rtt_ms', row.gateway_rtt_ms, LIMITS.gatewayRttMs),
    ...make('isp_loss_ratio', row.isp_loss_ratio, LIMITS.ispLoss),
    ...make('isp_rtt_ms', row.isp_rtt_ms, LIMITS.ispRttMs),
    ...session.map((one) => ({ ...one, target: row.worst_session_target })),
  ];
}
