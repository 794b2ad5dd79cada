export type Segment = 'local' | 'isp-edge' | 'beyond';
export const SEGMENT_WORDS: Readonly<Record<Segment, string>> = { local: 'Local', 'isp-edge': 'ISP edge', beyond: 'Beyond' };
export const SEGMENT_ORDER: readonly Segment[] = ['local', 'isp-edge', 'beyond'];
