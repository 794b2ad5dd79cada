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
    let freed = 0;
    const remove = (position: number) =>
      removeBelow(segments, position, (bytes) => {
        freed += bytes;
      });
    await Promise.all([remove(end - 4 * BYTES), remove(end - 2 * BYTES), remove(end), fill(segments, 6)]);
    expect(freed).toBeGreaterThanOrEqual(6 * BYTES);
    const spares = disk
      .paths()
      .map((path) => path.slice(FOLDER.length + 1))
      .filter((name) => name.startsWith('spare-'));
    expect(segments.spares.toSorted()).toEqual(spares.toSorted());
    await remove(endOf(segments));
    expect(disk.paths().filter((path) => path.endsWith('.log'))).toHaveLength(1);
  }
});

test('what went is told, also when the next one does not go', async () => {
  const disk = createTestDisk(2);
  const segments = await openSegments(disk, FOLDER, BYTES);
  await fill(segments, 4);
  const { rename } = disk;
  let renames = 0;
  disk.rename = async (from, to) => {
    if (++renames === 3) throw new Error('EIO');
    await rename(from, to);
  };
  const freed: number[] = [];
  await expect(removeBelow(segments, endOf(segments), (bytes) => freed.push(bytes))).rejects.toThrow('EIO');
  expect(freed).toEqual([BYTES, BYTES]);
});
