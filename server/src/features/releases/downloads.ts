import { AppError, networkOf } from '#kernel';

const AT_ONCE = 256;
const AT_ONCE_EACH = 16;

/** How many files are being sent, in all and to one address: who reads slowly holds a file and a socket open (edge/open-files.ts bounds how slowly). */
export function createDownloads() {
  const byAddress = new Map<string, number>();
  let all = 0;
  return {
    /** Takes a place; call what it gives once, when the file was sent. `unavailable` while there is none. */
    begin(ip: string): () => void {
      const address = networkOf(ip);
      const own = byAddress.get(address) ?? 0;
      if (all >= AT_ONCE || own >= AT_ONCE_EACH)
        throw new AppError('unavailable', 'Too many downloads at once. Try again soon.', { retryAfterSeconds: 30 });
      all += 1;
      byAddress.set(address, own + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        all -= 1;
        const left = (byAddress.get(address) ?? 1) - 1;
        if (left > 0) byAddress.set(address, left);
        else byAddress.delete(address);
      };
    },
    open: () => all,
  };
}
