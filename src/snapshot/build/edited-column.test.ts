import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf } from '../format/column-file.ts';
import { planChanges } from './document-changes.ts';
import { editArray, editColumn, planEdits } from './edited-column.ts';
import { PostingMerger } from './posting-lists.ts';

async function* inPieces(column: Uint32Array, pieceLength: number): AsyncGenerator<Uint8Array> {
  // One block for all of them, as files are read.
  const room = new Uint32Array(pieceLength);
  for (let at = 0; at < column.length; at += pieceLength) {
    const piece = column.subarray(at, at + pieceLength);
    room.fill(0xdead);
    room.set(piece);
    yield bytesOf(room.subarray(0, piece.length));
  }
}

async function joined(blocks: AsyncIterable<Uint8Array>): Promise<number[]> {
  const all: Buffer[] = [];
  for await (const block of blocks) all.push(Buffer.from(block));
  const bytes = Uint8Array.from(Buffer.concat(all));
  return Array.from(new Uint32Array(bytes.buffer));
}

describe('an edited column', () => {
  it('has what is put in before the places named, and not what is left out, whatever the pieces', async () => {
    const saved = fc.array(fc.record({ isRemoved: fc.boolean(), puts: fc.nat(3) }), { maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(saved, fc.nat(3), fc.integer({ min: 1, max: 70 }), async (elements, lastPuts, pieceLength) => {
        const column = Uint32Array.from(elements, (_, i) => 1000 + i);
        const expected: number[] = [];
        let fresh = 0;
        const put = (count: number) => {
          for (let i = 0; i < count; i += 1, fresh += 1) expected.push(fresh);
        };
        for (const [i, { isRemoved, puts }] of elements.entries()) {
          put(puts);
          if (!isRemoved) expected.push(1000 + i);
        }
        put(lastPuts);
        const counts = [...elements.map(({ puts }) => puts), lastPuts];
        const edits = planEdits(column.length, {
          puts: { places: Uint32Array.from(counts.keys()), counts: Uint32Array.from(counts) },
          removed: Uint32Array.from([...elements.keys()].filter((i) => elements[i]?.isRemoved)),
        });
        const put32 = Uint32Array.from({ length: fresh }, (_, i) => i);
        const pieces = inPieces(column, pieceLength);
        expect(await joined(editColumn({ saved: pieces, type: 'u32', edits, fresh: put32 }))).toEqual(expected);
        const out = new Uint32Array(expected.length);
        expect(Array.from(editArray(column, { edits, fresh: put32, out }))).toEqual(expected);
      }),
    );
  });

  it('says so when it is shorter than it should be', async () => {
    const edits = planEdits(3, {
      puts: { places: new Uint32Array(0), counts: new Uint32Array(0) },
      removed: new Uint32Array(0),
    });
    const saved = inPieces(Uint32Array.of(1, 2), 2);
    await expect(joined(editColumn({ saved, type: 'u32', edits, fresh: new Uint32Array(0) }))).rejects.toThrow(
      'shorter',
    );
  });
});

describe('posting lists of a new generation', () => {
  /** Lists of documents, and what has become of them, one by one. */
  async function expectMerged(
    {
      documentCount,
      lists,
      fresh,
      isRemoved,
    }: {
      documentCount: number;
      lists: readonly (readonly number[])[];
      fresh: readonly (readonly number[])[];
      isRemoved: (document: number) => boolean;
    },
    pieceLength: number,
  ): Promise<void> {
    const freshCount = 50;
    const slots = Uint32Array.from({ length: documentCount }, (_, i) => i);
    const renewed = new Uint32Array(Math.ceil(documentCount / 32));
    for (const slot of slots)
      if (isRemoved(slot)) renewed[slot >>> 5] = (renewed[slot >>> 5] ?? 0) | (1 << (slot & 31));
    const changes = planChanges({ freshCount, slots, renewed });
    const numbers = new Map([...slots].filter((slot) => !isRemoved(slot)).map((slot, i) => [slot, freshCount + i]));
    const ends = new Uint32Array(fresh.length);
    let end = 0;
    for (const [i, list] of lists.entries()) {
      end += list.length;
      ends[i] = end;
    }
    const entries = {
      lists: Uint32Array.from(fresh.flatMap((list, i) => list.map(() => i))),
      documents: Uint32Array.from(fresh.flat()),
    };
    const merger = new PostingMerger({ ends, savedCount: lists.length }, { fresh: entries, changes });
    const block = Uint32Array.from(lists.flat());
    const merged = await joined(merger.merge(inPieces(block, pieceLength)));
    const expected = fresh.map((list, i) => [
      ...list,
      ...(lists[i] ?? []).flatMap((document) => numbers.get(document) ?? []),
    ]);
    expect(merged).toEqual(expected.flat());
    let expectedEnd = 0;
    expect(Array.from(merger.ends)).toEqual(
      expected.map((list) => {
        expectedEnd += list.length;
        return expectedEnd;
      }),
    );
    // What stands beside the entries goes along.
    const beside = Uint32Array.from(block, (document) => 1_000_000 + document);
    const edited = editColumn({
      saved: inPieces(beside, pieceLength),
      type: 'u32',
      edits: merger.planEdits(),
      fresh: entries.documents,
    });
    const besideExpected = fresh.map((list, i) => [
      ...list,
      ...(lists[i] ?? []).filter((document) => numbers.has(document)).map((document) => 1_000_000 + document),
    ]);
    expect(await joined(edited)).toEqual(besideExpected.flat());
  }

  it('have the new documents, and those that are left under their new numbers', async () => {
    const documents = fc.uniqueArray(fc.nat(99), { maxLength: 30 }).map((list) => list.sort((a, b) => a - b));
    const put = fc.uniqueArray(fc.nat(49), { maxLength: 5 }).map((list) => list.sort((a, b) => a - b));
    await fc.assert(
      fc.asyncProperty(
        fc.array(documents, { maxLength: 12 }),
        fc.array(put, { minLength: 12, maxLength: 14 }),
        fc.array(fc.boolean(), { minLength: 100, maxLength: 100 }),
        fc.integer({ min: 1, max: 40 }),
        async (lists, fresh, removed, pieceLength) => {
          const isRemoved = (document: number) => removed[document] === true;
          await expectMerged({ documentCount: 100, lists, fresh, isRemoved }, pieceLength);
        },
      ),
    );
  });

  it('may be longer than what is written at a time', async () => {
    const documentCount = 300_000;
    const all = Array.from({ length: documentCount }, (_, i) => i);
    const lists = [all, [], all.filter((i) => i % 3 === 0)];
    const isRemoved = (document: number) => document % 5 === 1 && document < 200_000;
    await expectMerged({ documentCount, lists, fresh: [[0, 3], [1], [], [2]], isRemoved }, 131_072);
  });
});
