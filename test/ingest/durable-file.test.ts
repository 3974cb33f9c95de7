import { createHash } from 'node:crypto';
import { chmod, link, mkdir, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OperatorError } from '../../src/domain/error.ts';
import {
  describeDirectory,
  describeFile,
  makeDirectory,
  PRIVATE_FILE_MODE,
  writeDurably,
} from '../../src/ingest/publish/durable-file.ts';
import { VerifiedFiles } from '../../src/ingest/publish/verified-files.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const UNKNOWN = { sizeBytes: 1, sha256: 'what was known before' };

function descriptionOf(text: string) {
  return { sizeBytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') };
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

/** What this process has open below a directory; empty on systems that do not tell. */
async function listOpen(directory: string): Promise<readonly string[]> {
  const descriptors = await readdir('/proc/self/fd').catch(() => []);
  const targets = await Promise.all(descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(directory));
}

describe('a file that is written durably', () => {
  it('has a name of its own, and no other beside it, once it is whole', async () => {
    await using directory = await openTemporaryDirectory();
    let seen: readonly string[] = [];
    const stored = await writeDurably(
      { dataDirectory: directory.path, path: 'a/b/file.bin' },
      async (temporaryPath) => {
        await writeFile(temporaryPath, 'content');
        seen = await readdir(join(directory.path, 'a/b'));
      },
    );
    expect(stored).toEqual({
      path: expect.stringMatching(/^a\/b\/file\.[0-9a-f]{8}\.bin$/),
      ...descriptionOf('content'),
    });
    expect(seen).toEqual([`${basename(stored.path)}.tmp`]);
    expect(await readdir(join(directory.path, 'a/b'))).toEqual([basename(stored.path)]);
    expect(await readFile(join(directory.path, stored.path), 'utf8')).toBe('content');
    expect(await listOpen(directory.path)).toEqual([]);
  });

  it('is one of its own for two writers of the same, so that neither touches what the other publishes', async () => {
    await using directory = await openTemporaryDirectory();
    const place = { dataDirectory: directory.path, path: 'segments/US/search-monthly-2026-01-r1.parquet' };
    const write = (content: string) => writeDurably(place, (path) => writeFile(path, content));
    const [first, second] = await Promise.all([write('first'), write('second')]);
    expect(await readFile(join(directory.path, first.path), 'utf8')).toBe('first');
    expect(await readFile(join(directory.path, second.path), 'utf8')).toBe('second');
    expect(await describeFile(join(directory.path, first.path))).toEqual({ sizeBytes: 5, sha256: first.sha256 });
  });

  it('is not there when writing fails', async () => {
    await using directory = await openTemporaryDirectory();
    const writing = writeDurably({ dataDirectory: directory.path, path: 'file.bin' }, async (path) => {
      await writeFile(path, 'new');
      throw new Error('disk full');
    });
    await expect(writing).rejects.toThrow('disk full');
    expect((await readdir(directory.path)).filter((name) => !name.endsWith('.tmp'))).toEqual([]);
  });

  it('is described by all of its bytes, however many', async () => {
    await using directory = await openTemporaryDirectory();
    const text = 'x'.repeat(3 * 1024 * 1024 + 7);
    await writeFile(join(directory.path, 'large'), text);
    expect(await describeFile(join(directory.path, 'large'))).toEqual(descriptionOf(text));
  });
});

describe('the files of a directory', () => {
  it('keep what is known of them only while they are the very same', async () => {
    await using directory = await openTemporaryDirectory();
    const [older, newer] = [join(directory.path, 'older'), join(directory.path, 'newer')];
    await Promise.all([older, newer].map((path) => mkdir(path)));
    await writeFile(join(older, 'linked'), 'linked');
    await link(join(older, 'linked'), join(newer, 'linked'));
    for (const path of [older, newer]) await writeFile(join(path, 'copied'), 'copied');
    await writeFile(join(newer, 'added'), 'added');
    await writeFile(join(newer, 'lost'), 'lost');
    const files = ['linked', 'copied', 'lost'].map((name) => ({ path: `snapshots/7/${name}`, ...UNKNOWN }));
    const names = ['linked', 'copied', 'added', 'lost'];
    expect(
      await describeDirectory({
        dataDirectory: directory.path,
        path: 'newer',
        names,
        older: { directory: older, files },
      }),
    ).toEqual([
      { path: 'linked', ...UNKNOWN },
      { path: 'copied', ...descriptionOf('copied') },
      { path: 'added', ...descriptionOf('added') },
      { path: 'lost', ...descriptionOf('lost') },
    ]);
    expect(
      await describeDirectory({ dataDirectory: directory.path, path: 'newer', names: ['linked'], older: undefined }),
    ).toEqual([{ path: 'linked', ...descriptionOf('linked') }]);
  });
});

describe('a directory that is made', () => {
  it('is for its owner alone when it is private, with all that is made above it', async () => {
    await using directory = await openTemporaryDirectory();
    await chmod(directory.path, 0o755);
    await makeDirectory(join(directory.path, 'a/b/c'), { isPrivate: true });
    for (const path of ['a', 'a/b', 'a/b/c']) expect(await modeOf(join(directory.path, path))).toBe(0o700);
    expect(await modeOf(directory.path)).toBe(0o755);
    await makeDirectory(join(directory.path, 'open'));
    expect((await modeOf(join(directory.path, 'open'))) & 0o700).toBe(0o700);
    expect(await modeOf(join(directory.path, 'open'))).not.toBe(0o700);
  });

  it('is for its owner alone when it is private, whatever the umask takes', async () => {
    await using directory = await openTemporaryDirectory();
    const umask = process.umask(0o277);
    try {
      await makeDirectory(join(directory.path, 'strict'), { isPrivate: true });
    } finally {
      process.umask(umask);
    }
    expect(await modeOf(join(directory.path, 'strict'))).toBe(0o700);
    await writeFile(join(directory.path, 'file'), '', { mode: PRIVATE_FILE_MODE });
    expect(await modeOf(join(directory.path, 'file'))).toBe(0o600);
  });

  it('may be there already, and keeps its mode then', async () => {
    await using directory = await openTemporaryDirectory();
    const path = join(directory.path, 'there');
    await mkdir(path);
    await chmod(path, 0o750);
    await makeDirectory(path, { isPrivate: true });
    expect(await modeOf(path)).toBe(0o750);
  });
});

describe('a published file', () => {
  it('is read only when it is as published, which is looked at once', async () => {
    await using directory = await openTemporaryDirectory();
    const file = await writeDurably({ dataDirectory: directory.path, path: 'a' }, (path) =>
      writeFile(path, 'published'),
    );
    const verified = new VerifiedFiles(directory.path);
    await verified.check(file);
    await writeFile(join(directory.path, file.path), 'PUBLISHED');
    await verified.check(file);
    const again = new VerifiedFiles(directory.path);
    const fault = again.check(file);
    await expect(fault).rejects.toBeInstanceOf(OperatorError);
    await expect(again.check(file)).rejects.toMatchObject({
      message: `The published file ${file.path} has other content than published.`,
      hint: 'Restore it from a backup. keyrank verify lists all damaged files.',
    });
  });

  it('that the import wrote itself need not be looked at', async () => {
    await using directory = await openTemporaryDirectory();
    const verified = new VerifiedFiles(directory.path);
    const file = { path: 'never written', ...UNKNOWN };
    await expect(verified.check(file)).rejects.toThrow('The published file never written is not there.');
    verified.add([file]);
    await verified.check(file);
  });
});
