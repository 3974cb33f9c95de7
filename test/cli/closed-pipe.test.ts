import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

it('ends quietly when nobody reads what it says', () => {
  const command = `(sleep 0.3; "${process.execPath}" "${PROGRAM}" import --help; echo "code $?" >&2) | true`;
  expect(spawnSync('sh', ['-c', command], { encoding: 'utf8' }).stderr).toBe('code 0\n');
});
