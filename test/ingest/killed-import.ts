// Imports of ever new versions of one week, to be interrupted: what must hold at any moment and afterwards.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FileStore, objectOf } from '../../src/domain/file-store.ts';
import { importReports } from '../../src/ingest/importer.ts';
import { FilePublisher, sweepLeftovers } from '../../src/ingest/publish/file-publisher.ts';
import { verifyFiles } from '../../src/ingest/publish/verification.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import { buildSnapshot } from '../../src/snapshot/build/build.ts';
import { listStoredFiles, type Manifest } from '../../src/snapshot/manifest/manifest.ts';
import { loadManifest } from '../../src/snapshot/manifest/manifest-rows.ts';
import { currentReport, fixtureRows, SLOTS, WEEK_NAME, writeReport } from './report-fixture.ts';
import { KEEP_REVISIONS_MS, TEST_OPTIONS } from './workbench.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const ROWS = 2_000;
const DATA_POINTS_PER_ROW = 7;
const RECENT_RUNS = 3;
/** Repeats in this process take half the time; now and then one in a process of its own tells how long that takes of late. */
const REPEATS_PER_RUN = 5;

export interface Version {
  readonly path: string;
  readonly digest: string;
}

export interface ImportGround {
  readonly operator: Pool;
  readonly dataDirectory: string;
  /** For report files. */
  readonly reports: string;
  readonly settings: Readonly<Record<string, string>>;
  /** What the settings say of one. */
  readonly storage?: FileStore;
}

/** Runs a program that is killed at one of these calls. strace cannot signal where it stops a process at no other calls. */
export function straceKill(calls: string, { when }: { readonly when: number }): readonly [string, ...string[]] {
  return ['strace', '-f', '-qq', '-e', `trace=${calls}`, '-e', `inject=${calls}:signal=KILL:when=${when}`];
}

/** Runs a program to which these calls fail. It is stopped at no others, which takes much less time. */
export function straceFault(calls: string, fault: string): readonly [string, ...string[]] {
  return ['strace', '-f', '-qq', '--seccomp-bpf', '-e', `trace=${calls}`, '-e', `inject=${calls}:${fault}`];
}

/** Whether it is installed, new enough, and allowed. */
export function hasStrace(): boolean {
  const [command, ...options] = straceFault('fsync', 'error=EIO:when=9');
  return spawnSync(command, [...options, 'true']).status === 0;
}

export class KilledImports {
  readonly #ground: ImportGround;
  readonly #settings: Readonly<Record<string, string>>;
  /** The only version that may be seen before the one that is being imported. */
  #published: Version | undefined;
  #madeCount = 0;
  #repeatCount = 0;
  #durationsMs: readonly number[] = [];

  private constructor(ground: ImportGround) {
    this.#ground = ground;
    // strace counts calls by thread: with one that works on files their order is always the same.
    this.#settings = { ...ground.settings, UV_THREADPOOL_SIZE: '1' };
  }

  /** Imports a first version in peace. */
  static async open(ground: ImportGround): Promise<KilledImports> {
    const imports = new KilledImports(ground);
    const first = await imports.makeVersion();
    await imports.#run(first);
    imports.#published = first;
    return imports;
  }

  /** How long an import takes that nobody disturbs, of late: other tests come and go beside it, and one that finds its work done is short. */
  get durationMs(): number {
    return Math.max(...this.#durationsMs.slice(-RECENT_RUNS));
  }

  /** Another state of the same week, with terms, products and brands that no state before had. */
  async makeVersion(): Promise<Version> {
    this.#madeCount += 1;
    const version = this.#madeCount;
    const rows = fixtureRows(ROWS).map((row) => ({
      ...row,
      term: `${row.term} of version ${version}`,
      brands: row.brands.map((brand) => `${brand} ${version}`),
      categories: row.categories.map((category) => category && `${category} ${version}`),
      products: row.products.map((product, slot) => ({
        ...product,
        asin: `B${String((version * ROWS + Number(row.rank)) * SLOTS.length + slot).padStart(9, '0')}`,
      })),
    }));
    const path = await writeReport(
      this.#ground.reports,
      WEEK_NAME.replace('.csv', `-${version}.csv`),
      currentReport(rows),
    );
    return { path, digest: await this.#import(path, { isDryRun: true }) };
  }

  /** Starts to import a version in a process of its own, by way of another program if need be. */
  start({ path }: Version, wrapper: readonly string[] = []): ChildProcess {
    const [command = process.execPath, ...args] = [...wrapper, process.execPath, PROGRAM, 'import', '--urgent', path];
    const env = { PATH: process.env.PATH, ...this.#settings };
    const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    // Read even if nobody listens: strace says much, and would wait for a reader.
    child.stderr?.resume();
    return child;
  }

  async #run(version: Version): Promise<void> {
    const child = this.start(version);
    const startMs = performance.now();
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`the import ended with code ${code}: ${said}`);
    this.#durationsMs = [...this.#durationsMs, performance.now() - startMs];
  }

  /** Throws when the manifest shows anything but one whole version, all of whose files are in place. */
  async checkNow(wanted: Version): Promise<void> {
    await this.#checkWhole(
      await loadManifest(this.#ground.operator),
      this.#published ? [this.#published, wanted] : [wanted],
    );
  }

  /** What must hold after an import was interrupted, whenever that was: what is shown is whole, and a repeat is as good. */
  async checkAfterwards(wanted: Version): Promise<void> {
    const { operator, dataDirectory, storage } = this.#ground;
    await this.checkNow(wanted);
    const manifest = await loadManifest(operator);
    const { faults } = await verifyFiles({ manifest, dataDirectory, storage, onFile: () => {} });
    if (faults.length > 0) throw new Error(`published files are damaged: ${JSON.stringify(faults)}`);
    await this.#repeat(wanted);
    await this.#checkWhole(await loadManifest(operator), [wanted]);
    const now = () => new Date();
    await sweepLeftovers({ pool: operator, dataDirectory, storage, keepRevisionsMs: KEEP_REVISIONS_MS, now });
    const swept = await loadManifest(operator);
    await this.#checkWhole(swept, [wanted]);
    const left = await listDataFiles(dataDirectory);
    const named = new Set(listStoredFiles(swept).map(objectOf));
    for (const path of [...named, ...listStoredFiles(swept).map((file) => file.path)]) left.delete(path);
    for (const { name } of (await storage?.list()) ?? []) if (!named.has(name)) left.add(name);
    if (left.size > 0) throw new Error(`files were left behind: ${[...left].join(', ')}`);
    this.#published = wanted;
  }

  async #repeat(version: Version): Promise<void> {
    this.#repeatCount += 1;
    if (this.#repeatCount % REPEATS_PER_RUN === 0) await this.#run(version);
    else await this.#import(version.path, { isDryRun: false });
  }

  /** Imports a file in this process. Returns the digest of its period. */
  async #import(path: string, { isDryRun }: { readonly isDryRun: boolean }): Promise<string> {
    const [outcome] = await importReports({
      files: [{ path, source: 'search' }],
      options: { ...TEST_OPTIONS, isDryRun },
      publisher: new FilePublisher({
        pool: this.#ground.operator,
        dataDirectory: this.#ground.dataDirectory,
        storage: this.#ground.storage,
        buildSnapshot,
        keepRevisionsMs: KEEP_REVISIONS_MS,
        now: () => new Date(),
      }),
      dataDirectory: this.#ground.dataDirectory,
      onProgress: () => {},
      now: () => new Date(),
    });
    const digest = outcome?.periods[0]?.digest;
    if (digest === undefined) throw new Error(`the report was not imported: ${JSON.stringify(outcome)}`);
    return digest;
  }

  async #checkWhole(manifest: Manifest, allowed: readonly Version[]): Promise<void> {
    const [period, ...others] = manifest.periods;
    const isKnown = allowed.some(({ digest }) => digest === period?.digest);
    const isWhole = period?.keywords === ROWS && period.dataPoints === ROWS * DATA_POINTS_PER_ROW;
    if (!isKnown || !isWhole || others.length > 0)
      throw new Error(`a part is published: ${JSON.stringify(manifest.periods)}`);
    for (const file of listStoredFiles(manifest)) {
      const { size } = await stat(join(this.#ground.dataDirectory, file.path));
      if (size !== file.sizeBytes) throw new Error(`${file.path} has ${size} bytes instead of ${file.sizeBytes}`);
    }
  }
}

async function listDataFiles(dataDirectory: string): Promise<Set<string>> {
  const files = new Set<string>();
  for (const folder of ['segments', 'dictionaries', 'snapshots']) {
    const entries = await readdir(join(dataDirectory, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (entry.isFile()) files.add(relative(dataDirectory, join(entry.parentPath, entry.name)));
    }
  }
  return files;
}
