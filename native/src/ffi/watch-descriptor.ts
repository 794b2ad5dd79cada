import koffi from 'koffi';
import { LINUX } from './layout/linux.ts';
import { checked, libc } from './libc.ts';
import { allocate } from './memory.ts';

const { EPOLL_CLOEXEC, EPOLL_CTL_ADD, EPOLLIN } = LINUX.constants;
/** As large as on any processor: x86 packs struct epoll_event into 12 bytes. */
const EVENT_BYTES = 16;

/**
 * Calls `onReadable` whenever there is something to read or an error to fetch, until the function given back is called. The loop
 * watches an epoll descriptor around the socket: at a socket's own error libuv would drop it.
 */
export function watchDescriptor(fd: number, onReadable: () => void, { keepsAlive }: { keepsAlive: boolean }): () => void {
  const epoll = checked('epoll', libc().epollCreate(EPOLL_CLOEXEC));
  try {
    const event = allocate(EVENT_BYTES);
    event.writeUInt32LE(EPOLLIN, LINUX.structs.epoll_event.events);
    checked('epoll_ctl', libc().epollCtl(epoll, EPOLL_CTL_ADD, fd, event));
  } catch (error) {
    libc().close(epoll);
    throw error;
  }
  const handle = koffi.node.poll(epoll, { readable: true }, onReadable);
  if (!keepsAlive) handle.unref();
  return () => {
    handle.stop();
    handle.close();
    libc().close(epoll);
  };
}
