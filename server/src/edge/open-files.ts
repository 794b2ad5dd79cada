import { ReadStream } from 'node:fs';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, networkOf, siteOf } from '#kernel';

export interface FileBounds {
  /** Answers that are read from an open file while the client takes them: each holds a descriptor. */
  open: number;
  openOfNetwork: number;
  /** A client that takes less than `leastBytes` of a file in this time is cut off, milliseconds. */
  windowMs: number;
  leastBytes: number;
  /** Where there are too many: one that has been slower than this for `slowMs` may go for a newcomer. */
  slowBytesPerS: number;
  slowMs: number;
}

export const FILE_BOUNDS: FileBounds = {
  ...{ open: 128, openOfNetwork: 64 },
  ...{ windowMs: 60_000, leastBytes: 512 * 1024 },
  ...{ slowBytesPerS: 64 * 1024, slowMs: 10_000 },
};

/** Looks at each file so many times in a window. */
const CHECKS = 10;

interface OpenFile {
  file: ReadStream;
  network: string;
  site: string;
  sinceMs: number;
  /** Read when its window began. */
  markBytes: number;
  markMs: number;
  cut: () => void;
}

const paceOf = ({ file, sinceMs }: OpenFile): number => file.bytesRead / Math.max(1, performance.now() - sinceMs);

function slowest(files: Iterable<OpenFile>): OpenFile | undefined {
  let found: OpenFile | undefined;
  for (const one of files) if (!found || paceOf(one) < paceOf(found)) found = one;
  return found;
}

/**
 * The files that answers hold open. Where there are too many, the site that holds most gives up its slowest for one that holds at least two fewer,
 * else the slowest of all goes that has been slow for long; of one address, its own slowest.
 */
class OpenFiles {
  private readonly files = new Set<OpenFile>();
  private readonly bounds: FileBounds;

  constructor(bounds: FileBounds) {
    this.bounds = bounds;
  }

  /** False where there is no room. */
  add(file: OpenFile): boolean {
    const { open, openOfNetwork } = this.bounds;
    const own = [...this.files].filter(({ network }) => network === file.network);
    if (own.length >= openOfNetwork && !this.drop(this.findSlow(own))) return false;
    if (this.files.size >= open && !this.drop(this.findOfLargestSite(file) ?? this.findSlow(this.files))) return false;
    this.files.add(file);
    return true;
  }

  remove(file: OpenFile): void {
    this.files.delete(file);
  }

  cutSlow(): void {
    const now = performance.now();
    for (const one of this.files) {
      if (one.file.bytesRead - one.markBytes >= this.bounds.leastBytes) {
        one.markBytes = one.file.bytesRead;
        one.markMs = now;
      } else if (now - one.markMs > this.bounds.windowMs) this.drop(one);
    }
  }

  private drop(file: OpenFile | undefined): boolean {
    if (!file) return false;
    this.files.delete(file);
    file.cut();
    return true;
  }

  private findSlow(files: Iterable<OpenFile>): OpenFile | undefined {
    const found = slowest(files);
    if (!found || performance.now() - found.sinceMs < this.bounds.slowMs) return undefined;
    return paceOf(found) * 1000 < this.bounds.slowBytesPerS ? found : undefined;
  }

  private findOfLargestSite(newcomer: OpenFile): OpenFile | undefined {
    const sites = Map.groupBy(this.files, ({ site }) => site);
    const [largest] = [...sites.values()].sort((a, b) => b.length - a.length);
    const own = sites.get(newcomer.site)?.length ?? 0;
    return largest && largest.length > own + 1 ? slowest(largest) : undefined;
  }
}

function follow({ ip, raw }: FastifyRequest, file: ReadStream): OpenFile {
  const network = networkOf(ip);
  const now = performance.now();
  const cut = (): void => {
    file.destroy();
    raw.socket.destroy();
  };
  return { file, network, site: siteOf(network), sinceMs: now, markBytes: 0, markMs: now, cut };
}

/** Bounds the files that answers hold open: over all clients, for each address, and how slowly they are taken. */
export function boundOpenFiles(app: FastifyInstance, bounds: FileBounds = FILE_BOUNDS): void {
  const files = new OpenFiles(bounds);
  const timer = setInterval(() => files.cutSlow(), bounds.windowMs / CHECKS);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
  app.addHook('onSend', async (request, _reply, payload) => {
    if (!(payload instanceof ReadStream)) return;
    const one = follow(request, payload);
    if (!files.add(one)) {
      payload.destroy();
      throw new AppError('unavailable', 'Too many files are being sent. Wait and try again.', { retryAfterSeconds: 5 });
    }
    payload.once('close', () => files.remove(one));
  });
}
