/**
 * Words of every day that are one letter away from one that means something: they are what they say, and no slip. `The REST API` is
 * not to be reset, the `remote` desktop not to be removed, the printer on floor 3 not to be flooded.
 */
export const NO_SLIPS: ReadonlySet<string> = new Set(
  [
    'rest|parse|parser|parsed|remote|remotely|white|black|wrote|floor|floors|attach|attached|combine|charge|charged|charger',
    'chance|chances|warm|throughout|tracer|tracers|tree|trees|seen|taken|timer|timers|fifth|theme|themes|stats|internal',
    'cold|clock|clocks|print|prints|alter|pager|closer',
  ].flatMap((words) => words.split('|')),
);
