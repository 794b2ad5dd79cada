/** What a runner elsewhere tells whoever started it; the message says what to do. */
export class CanaryFault extends Error {
  readonly kind: 'usage' | 'untrusted' | 'unreachable' | 'refused' | 'removed' | 'upgrade_required' | 'unknown' | 'state';
  constructor(kind: CanaryFault['kind'], message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'CanaryFault';
    this.kind = kind;
  }
}
