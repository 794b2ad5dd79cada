import { configKey, parseInteger } from '#kernel';

/** What is stored of OTLP. */
export const otlpStoreKeys = {
  seriesPerDay: configKey({
    key: 'SVC_OTLP_SERIES_PER_DAY',
    parse: parseInteger(1000, 10_000_000),
    fallback: 1_000_000,
    defaultText: '1000000',
    doc: 'New metric series that one tenant may send per day (UTC); twice as many may be active. Points of further ones go into overflow series.',
  }),
};
