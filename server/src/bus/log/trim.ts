import { endOf, oldestOf, removeBelow, rollSegment } from './segments.ts';
import { type Group, positionOf, type TopicLog } from './topic-log.ts';

/** Without any group a topic keeps its newest messages for one to come, within this part of the bound. */
const UNREAD_SHARE = 0.125;

const holdsBack = (log: TopicLog, group: Group): boolean =>
  group.subscribed || log.settings.now() - group.seenMs < log.settings.groupTtlMs;

const countingOf = (log: TopicLog): Group[] => [...log.groups.values()].filter((group) => holdsBack(log, group));

/** What every group that counts has handled holds nobody's share any more. */
function settleUnread(log: TopicLog): void {
  const counting = countingOf(log);
  for (const [partition, end] of log.lastEnd.entries()) {
    const floor =
      counting.length > 0 ? Math.min(...counting.map(({ positions }) => positions[partition] as number)) : floorOf(log);
    log.unread.settle(partition, floor >= end && log.pending.length === 0 && !log.writing ? Number.POSITIVE_INFINITY : floor);
  }
}

/** Everything below is handled, durably, by every group that counts. */
export function floorOf(log: TopicLog): number {
  const counting = countingOf(log);
  if (counting.length > 0) return Math.min(...counting.map((group) => group.savedFloor));
  return endOf(log.segments) - log.budget.maxBytes * UNREAD_SHARE;
}

/** Lets go of the files that nobody needs any more. */
export async function trimLog(log: TopicLog): Promise<void> {
  settleUnread(log);
  try {
    await removeBelow(log.segments, floorOf(log), (bytes) => {
      log.budget.usedBytes -= bytes;
    });
  } catch (err) {
    log.settings.log.error({ err, topic: log.topic }, 'bus: an old file of the log could not be removed');
  }
  const oldest = oldestOf(log.segments);
  log.extents.trim(oldest);
  for (const base of log.countsAt.keys()) if (base < oldest) log.countsAt.delete(base);
}

/** Writes down how far the group has come, then trims. A failed save is tried again with the next. */
export async function saveGroup(log: TopicLog, group: Group): Promise<void> {
  if (!group.dirty) return;
  group.dirty = false;
  const positions = group.positions.map((_, partition) => positionOf(log, group, partition));
  if (group.subscribed) group.seenMs = log.settings.now();
  try {
    await group.file.save({ positions, seenMs: group.seenMs });
    group.savedFloor = Math.min(...positions);
  } catch (err) {
    group.dirty = true;
    log.settings.log.error({ err, topic: log.topic, group: group.name }, 'bus: the position of a group could not be saved');
  }
  await trimLog(log);
}

/** When the bound is reached: closes a file that is wholly handled, so that its room comes free. Only for the writer's own turn. */
export async function reclaim(log: TopicLog): Promise<void> {
  try {
    for (const group of log.groups.values()) await saveGroup(log, group);
    if (floorOf(log) >= endOf(log.segments)) await rollSegment(log.segments);
    await trimLog(log);
  } catch (err) {
    log.settings.log.error({ err, topic: log.topic }, 'bus: no room could be made');
  }
}
