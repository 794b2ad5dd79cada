/**
 * User id of who sits at this machine now: the session that its screen and keyboard belong to. On Windows that session's own number.
 * Undefined where nobody does, or where this system does not tell.
 */
export type ReadSeatUser = () => number | undefined;
