/** Why an update was not taken. Closed, so that each is tested; `message` is for the log, in words, without a secret. */
export const UPDATE_FAULTS = [
  /** The control plane does not answer, or not with what was asked for. */
  'unreachable',
  'untrusted_server',
  /** The feed has no signature. */
  'unsigned',
  /** Signed by nobody whom this program knows, or changed afterwards. */
  'bad_signature',
  'bad_feed',
  /** Signed for another ring or another system. */
  'wrong_ring',
  'wrong_feed',
  /** Older than one that was already accepted. */
  'replayed',
  /** Past the time until which it was signed, or signed without one. */
  'expired',
  /** Nothing in it fits this system. */
  'no_file',
  /** Larger than what was signed. */
  'bad_size',
  'bad_hash',
  'cut_off',
  'disk_full',
  /** The file is there and could not be put in place. */
  'not_installed',
] as const;
export type UpdateFaultCode = (typeof UPDATE_FAULTS)[number];

export class UpdateFault extends Error {
  override readonly name = 'UpdateFault';
  readonly code: UpdateFaultCode;

  constructor(code: UpdateFaultCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}
