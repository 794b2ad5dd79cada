import { type CheckedMessage, holdsTooMuch, overShare, unavailable } from '../message-bounds.ts';
import { STILL_WRITING } from '../port.ts';
import { takeGroup } from './next-group.ts';
import { encodePieces, encodeRecords } from './record.ts';
import { activeOf, appendToSegments, bytesOf, endOf, readyToAppend } from './segments.ts';
import { noteMessages, type Pending, type TopicLog, trimTail } from './topic-log.ts';
import { reclaim, trimLog } from './trim.ts';

/** One write and one sync take at most this many bytes (or a single larger call). */
const COMMIT_BYTES = 1024 * 1024;
/** Bytes of one topic that may wait for the disk. */
const WAITING_BYTES = 64 * 1024 * 1024;
/** One topic never takes more of the bound than this, so that its stuck consumer leaves room for the others. */
const TOPIC_SHARE = 0.75;

/** In one piece, which stays in memory for its readers: to copy it costs less than to read it again. Without room there from where it lies. */
async function writeMessages(log: TopicLog, messages: readonly CheckedMessage[], bytes: number): Promise<void> {
  const { segments, tail } = log;
  const base = endOf(segments);
  const place = await readyToAppend(segments);
  const memory = trimTail(log) ? tail.room(bytes, place) : undefined;
  if (!memory) return await appendToSegments(segments, encodePieces(messages, base, bytes), bytes);
  try {
    encodeRecords(messages, base, memory);
    await appendToSegments(segments, [memory], bytes);
  } catch (err) {
    tail.giveBack(memory);
    throw err;
  }
  tail.keep(memory, base);
}

async function writeGroup(log: TopicLog, group: readonly Pending[], bytes: number): Promise<void> {
  const messages = group.flatMap((call) => call.messages);
  const base = endOf(log.segments);
  await writeMessages(log, messages, bytes);
  const begun = activeOf(log.segments).base === base;
  if (begun) log.countsAt.set(base, [...log.counts]);
  const touched = noteMessages(log, messages, base);
  for (const partition of touched) log.waiters[partition]?.wakeAll();
  if (begun) await trimLog(log);
}

/** Says why, and that trying again helps: a full disk empties as consumers go on. */
function refusal(err: unknown) {
  const full = (err as NodeJS.ErrnoException).code === 'ENOSPC';
  return unavailable(full ? 'The disk of the bus is full.' : 'The bus could not write to its disk.', 5, err);
}

async function commitGroup(log: TopicLog): Promise<void> {
  const group = takeGroup(log.pending, COMMIT_BYTES);
  const bytes = group.reduce((sum, call) => sum + call.bytes, 0);
  const timer = setTimeout(() => {
    log.stalled = true;
    log.fault = `The disk has not synced ${log.topic} within ${log.settings.deadlineMs} ms.`;
    for (const call of [...group, ...log.pending])
      call.reject(unavailable('The disk of the bus does not answer.', 5, STILL_WRITING));
  }, log.settings.deadlineMs);
  try {
    await writeGroup(log, group, bytes);
    log.fault = undefined;
    for (const call of group) call.resolve();
  } catch (err) {
    log.budget.usedBytes -= bytes;
    for (const call of group) log.unread.takeBack(call.messages);
    const refused = refusal(err);
    if (log.fault === undefined) log.settings.log.error({ err, topic: log.topic }, 'bus: the log could not be written');
    log.fault = `${refused.message} (${(err as Error).message})`;
    for (const call of group) call.reject(refused);
  } finally {
    clearTimeout(timer);
    log.stalled = false;
    log.pendingBytes -= bytes;
  }
}

/** Writes all that waits, group by group: who comes while one is under way goes with the next, nobody waits for a timer. */
async function commitWaiting(log: TopicLog): Promise<void> {
  // Calls of the same turn of the event loop share the first sync too.
  await undefined;
  while (log.pending.length > 0 || log.reclaimWanted) {
    if (log.reclaimWanted) await reclaim(log);
    log.reclaimWanted = false;
    if (log.pending.length > 0) await commitGroup(log);
  }
  log.writing = false;
}

function startWriter(log: TopicLog): void {
  if (log.writing) return;
  log.writing = true;
  void commitWaiting(log);
}

/** Asks the writer to let go of what is handled; its room is there for a later try. */
export function makeRoom(log: TopicLog): void {
  log.reclaimWanted = true;
  startWriter(log);
}

/** A tenant that holds its share of what is left leaves the rest to others. Nothing is looked up while no tenant can hold that much. */
function isOverShare({ budget, unread }: TopicLog, messages: readonly CheckedMessage[], own: number): boolean {
  const { maxBytes, usedBytes } = budget;
  const [topicFree, free] = [maxBytes * TOPIC_SHARE - own, maxBytes - usedBytes];
  if (!holdsTooMuch(own, topicFree) && !holdsTooMuch(usedBytes, free)) return false;
  return messages.some(({ tenant }, i) => {
    if (tenant === messages[i - 1]?.tenant) return false;
    const all = budget.unread.reduce((sum, topic) => sum + topic.of(tenant), 0);
    return holdsTooMuch(unread.of(tenant), topicFree) || holdsTooMuch(all, free);
  });
}

function refuseWhenFull(log: TopicLog, { messages, bytes }: Pick<Pending, 'messages' | 'bytes'>): void {
  if (log.stalled) throw unavailable('The disk of the bus does not answer.', 5);
  if (log.pendingBytes + bytes > WAITING_BYTES) throw unavailable('The bus has more waiting for its disk than it can hold.', 1);
  const { budget } = log;
  const own = bytesOf(log.segments) + log.pendingBytes + bytes;
  if (budget.usedBytes + bytes <= budget.maxBytes && own <= budget.maxBytes * TOPIC_SHARE) {
    if (!isOverShare(log, messages, own)) return;
    makeRoom(log);
    throw overShare();
  }
  makeRoom(log);
  throw unavailable('The bus is full: its consumers are behind.', 5);
}

/** Resolves when the messages are on disk for good. */
export function appendMessages(log: TopicLog, call: Omit<Pending, 'resolve' | 'reject'>): Promise<void> {
  refuseWhenFull(log, call);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  log.pending.push({ ...call, resolve, reject });
  log.unread.addAll(call.messages, endOf(log.segments) + log.pendingBytes);
  log.pendingBytes += call.bytes;
  log.budget.usedBytes += call.bytes;
  startWriter(log);
  return promise;
}
