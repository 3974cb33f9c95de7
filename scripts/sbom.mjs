// npm run sbom [-- FILE]: the bill of materials of what an installation runs, in CycloneDX, from the lockfile; every platform's
// packages, without those for development. Writes to keyrank.cdx.json unless told otherwise.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = process.argv[2] ?? 'keyrank.cdx.json';
const { name } = readJson('package.json');
const options = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'];
const bill = JSON.parse(
  execFileSync('npm', options, { cwd: root, maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'ignore'] }),
);

// Not --omit=dev: npm then leaves out what development and production share.
const production = new Set(
  Object.entries(readJson('package-lock.json').packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(
      ([path, { version }]) => `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`,
    ),
);
bill.components = bill.components.filter((each) => production.has(`${each.name}@${each.version}`));
const known = new Set([bill.metadata.component, ...bill.components].map((each) => each['bom-ref']));
bill.dependencies = bill.dependencies
  .filter(({ ref }) => known.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => known.has(each)) }));
// npm calls the project after its folder.
bill.metadata.component.name = name;
writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
console.log(`${file}: ${bill.components.length} components`);

function readJson(path) {
  return JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'));
}
