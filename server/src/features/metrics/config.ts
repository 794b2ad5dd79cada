import { configKey, parseInteger } from '#kernel';

/** Up to the clock of the receiver, which takes nothing older than 30 days. */
const days = parseInteger(1, 400);

/** Keys of the metrics slice: how long single points of OTLP metrics are kept, by source. */
export const metricsKeys = {
  application: configKey({
    key: 'SVC_OTLP_METRIC_DAYS',
    parse: days,
    fallback: 30,
    defaultText: '30',
    doc: "Days that points of services' OTLP metrics are kept; their figures by the hour stay for 13 months. Holds for what arrives from then on.",
  }),
  host: configKey({
    key: 'SVC_OTLP_HOST_METRIC_DAYS',
    parse: days,
    fallback: 30,
    defaultText: '30',
    doc: 'Days that OTLP metrics of hosts are kept (`system.*`, `k8s.*`, `host.*`); nothing of them stays longer.',
  }),
  flow: configKey({
    key: 'SVC_OTLP_FLOW_METRIC_DAYS',
    parse: days,
    fallback: 30,
    defaultText: '30',
    doc: 'Days that OTLP metrics of network flows are kept (`obi.network.flow.*`, `hw.network.*`); nothing of them stays longer.',
  }),
};
