/** The numbers of OTLP in words, each at its number's place. */
export const STATUS_NAMES = ['unset', 'ok', 'error'] as const;
export const KIND_NAMES = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

export const statusName = (code: number): (typeof STATUS_NAMES)[number] => STATUS_NAMES[code] ?? 'unset';
export const kindName = (code: number): (typeof KIND_NAMES)[number] => KIND_NAMES[code] ?? 'unspecified';
