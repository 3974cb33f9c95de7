// npm run sbom [-- FILE]: the bill of materials of what an installation runs, in CycloneDX: every platform's packages of the
// lockfile, without those for development, and the packages that the bundler put into the page. Writes to keyrank.cdx.json
// unless told otherwise.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LIST_NAME, nestedBundle } from './bundled-packages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = process.argv[2] ?? 'keyrank.cdx.json';
const { name } = readJson('package.json');
const options = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'];
const bill = JSON.parse(
  execFileSync('npm', options, { cwd: root, maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'ignore'] }),
);

execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
const locked = readJson('package-lock.json').packages;
const inPage = readJson(`dist/${LIST_NAME}`);
const lost = inPage.filter((path) => !(path in locked));
if (lost.length > 0) throw new Error(`The page ships what the lockfile does not have: ${lost.join(', ')}`);

// Not --omit=dev: npm then leaves out what development and production share.
const shipped = new Set(
  Object.entries(locked)
    .filter(([path, { dev }]) => path !== '' && (!dev || inPage.includes(path)))
    .map(([path]) => nameAndVersion(path)),
);
bill.components = bill.components.filter((each) => shipped.has(`${each.name}@${each.version}`));
const pageNames = new Set(inPage.map(nameAndVersion));
for (const each of bill.components.filter(({ name, version }) => pageNames.has(`${name}@${version}`))) {
  each.properties = [...(each.properties ?? []), { name: 'keyrank:shipped-in', value: 'web page' }];
}
const nested = nestedBundle(root);
const holder = bill.components.find(({ name, version }) => `${name}@${version}` === nameAndVersion(nested.path));
holder.components = [
  {
    'bom-ref': `${nested.name}@${nested.version}`,
    type: 'library',
    name: nested.name,
    version: nested.version,
    purl: `pkg:npm/${nested.name.replace('@', '%40')}@${nested.version}`,
    description: 'Bundled by its authors; the bundle does not list what it was made from.',
  },
];
const known = new Set([bill.metadata.component, ...bill.components].map((each) => each['bom-ref']));
bill.dependencies = bill.dependencies
  .filter(({ ref }) => known.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => known.has(each)) }));
// npm calls the project after its folder.
bill.metadata.component.name = name;
writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
console.log(`${file}: ${bill.components.length} components`);

function nameAndVersion(path) {
  return `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${locked[path].version}`;
}

function readJson(path) {
  return JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));
}
