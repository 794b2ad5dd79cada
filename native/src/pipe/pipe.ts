/**
 * A named pipe that waits for one client of this machine at a time. It is the only one of its name: while it exists nobody, its
 * own clients included, can open another that is connected to in its place. Who is refused does not end it.
 */
export interface WaitingPipe {
  /** Whether somebody connected; costs no system call. */
  readonly visited: () => boolean;
  /** The session that the visitor runs in, as the kernel noted it; undefined where it does not tell. */
  readonly visitorSession: () => number | undefined;
  /** Lets go of the visitor and waits for the next. Throws a NativeCallError where it can wait no more. */
  readonly refuse: () => void;
  /**
   * Hands the connection over as a file descriptor for `new Socket({ fd })`, and ends this pipe. Throws a NativeCallError where
   * it cannot; the connection is closed then.
   */
  readonly take: () => number;
  readonly close: () => void;
}

/** Opens a pipe by its whole name. Throws a NativeCallError where it exists already. */
export type OpenPipe = (name: string) => WaitingPipe;
