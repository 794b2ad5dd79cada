import { expect, test } from 'vitest';
import { appendToSegments, endOf, openSegments, readyToAppend, removeBelow, rollSegment, type Segments } from './segments.ts';
import { createTestDisk } from './test-disk.ts';

const FOLDER = '/log/topic';
const BYTES = 1000;

/** Writes so many full files. */
async function fill(segments: Segments, files: number): Promise<void> {
  for (let file = 0; file < files; file++) {
    await readyToAppend(segments);
    await appendToSegments(segments, [Buffer.alloc(BYTES, file)], BYTES);
  }
  await rollSegment(segments);
}

test('who lets go of files at the same time, and who takes them meanwhile, use each of them once', async () => {
  const disk = createTestDisk(1);
  const segments = await openSegments(disk, FOLDER, BYTES);
  for (let round = 0; round < 5; round++) {
    await fill(segments, 6);
    const end = endOf(segments);
    const freed = await Promise.all([
      removeBelow(segments, end - 4 * BYTES),
      removeBelow(segments, end - 2 * BYTES),
      removeBelow(segments, end),
      fill(segments, 6).then(() => 0),
    ]);
    expect(freed.reduce((sum, bytes) => sum + bytes)).toBeGreaterThanOrEqual(6 * BYTES);
    const spares = disk
      .paths()
      .map((path) => path.slice(FOLDER.length + 1))
      .filter((name) => name.startsWith('spare-'));
    expect(segments.spares.toSorted()).toEqual(spares.toSorted());
    await removeBelow(segments, endOf(segments));
    expect(disk.paths().filter((path) => path.endsWith('.log'))).toHaveLength(1);
  }
});
