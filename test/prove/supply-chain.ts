import { listMissing, readLockfile } from './lockfile.ts';
import type { Promised } from './promised.ts';

const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

export const supplyChain: readonly Promised[] = [
  {
    name: 'the lockfile is complete',
    goal: 'every package with its checksum, nothing missing on any platform',
    run: async () => {
      const lockfile = readLockfile();
      const packages = Object.entries(lockfile.packages).filter(([path]) => path !== '');
      const unchecked = packages.filter(([, { integrity }]) => !SHA512.test(integrity ?? '')).map(([path]) => path);
      const faults = [...unchecked.map((path) => `no checksum: ${path}`), ...listMissing(lockfile)];
      return {
        kept: packages.length > 100 && faults.length === 0,
        figure: `${packages.length} packages, ${unchecked.length} without SHA-512, ${listMissing(lockfile).length} missing ${faults.join(', ')}`,
      };
    },
  },
];
