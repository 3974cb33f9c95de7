import { readFileSync } from 'node:fs';

/** One package of package-lock.json, as npm writes it. */
export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface Lockfile {
  /** By path, such as node_modules/a/node_modules/b; the project itself is ''. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export function readLockfile(): Lockfile {
  return JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
}

/** The name of the package at a path of the lockfile. */
export function nameOfPackage(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** What a package wants and the lockfile does not have where Node would look for it, as 'wanted by path'. */
export function listMissing({ packages }: Lockfile): string[] {
  return Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies, devDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies, ...(path === '' && devDependencies) })
      .filter((name) => !ancestors(path).some((folder) => `${folder}node_modules/${name}` in packages))
      .map((name) => `${name} wanted by ${path || 'keyrank'}`),
  );
}

/** Where Node looks for what a package at this path imports, nearest first; each ends with a slash or is empty. */
function ancestors(path: string): string[] {
  if (path === '') return [''];
  const parent = path.slice(0, path.lastIndexOf('node_modules/')).replace(/\/$/, '');
  return [`${path}/`, ...ancestors(parent)];
}
