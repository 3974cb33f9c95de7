// A disk as POSIX allows it to be: what was not forced to it may be there after a power cut, or not, or in part, each name and
// each file for itself. A failed fsync has thrown away what it could not write, and the next one says that all is well.
import type { SeededRandom } from '../seeded-random.ts';

export interface FileNode {
  readonly kind: 'file';
  readonly inode: number;
  content: Buffer;
  /** What a power cut leaves; undefined when nothing was ever forced to disk. */
  durable: Buffer | undefined;
  /** What the last fsync could not write is no longer remembered. */
  isForgotten: boolean;
}

export interface DirectoryNode {
  readonly kind: 'directory';
  readonly inode: number;
  entries: Map<string, DiskNode>;
  durable: Map<string, DiskNode>;
}

export type DiskNode = FileNode | DirectoryNode;

export class Disk {
  #inodes = 0;
  readonly #random: SeededRandom;
  readonly root: DirectoryNode = this.#newDirectory();

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  find(path: string): DiskNode | undefined {
    let node: DiskNode | undefined = this.root;
    for (const name of namesOf(path)) node = node?.kind === 'directory' ? node.entries.get(name) : undefined;
    return node;
  }

  file(path: string): FileNode {
    const node = this.find(path);
    if (!node) throw systemError('ENOENT', path);
    if (node.kind === 'directory') throw systemError('EISDIR', path);
    return node;
  }

  directory(path: string): DirectoryNode {
    const node = this.find(path);
    if (!node) throw systemError('ENOENT', path);
    if (node.kind === 'file') throw systemError('ENOTDIR', path);
    return node;
  }

  /** Makes a directory and its parents; returns the first that was made, or undefined. */
  makeDirectories(path: string): string | undefined {
    let node: DirectoryNode = this.root;
    let first: string | undefined;
    let at = '';
    for (const name of namesOf(path)) {
      at = `${at}/${name}`;
      let next = node.entries.get(name);
      if (next?.kind === 'file') throw systemError('ENOTDIR', at);
      if (!next) {
        next = this.#newDirectory();
        node.entries.set(name, next);
        first ??= at;
      }
      node = next;
    }
    return first;
  }

  write(path: string, content: Buffer): void {
    const parent = this.directory(parentOf(path));
    const existing = parent.entries.get(nameOf(path));
    if (existing?.kind === 'directory') throw systemError('EISDIR', path);
    const file: FileNode = existing ?? {
      kind: 'file',
      inode: this.#nextInode(),
      content,
      durable: undefined,
      isForgotten: false,
    };
    file.content = content;
    file.isForgotten = false;
    parent.entries.set(nameOf(path), file);
  }

  link(from: string, to: string): void {
    const parent = this.directory(parentOf(to));
    if (parent.entries.has(nameOf(to))) throw systemError('EEXIST', to);
    parent.entries.set(nameOf(to), this.file(from));
  }

  rename(from: string, to: string): void {
    const node = this.find(from);
    if (!node) throw systemError('ENOENT', from);
    this.directory(parentOf(to)).entries.set(nameOf(to), node);
    this.directory(parentOf(from)).entries.delete(nameOf(from));
  }

  remove(path: string): void {
    const parent = this.find(parentOf(path));
    if (parent?.kind === 'directory') parent.entries.delete(nameOf(path));
  }

  sync(path: string): void {
    const node = this.find(path);
    if (!node) throw systemError('ENOENT', path);
    if (node.kind === 'directory') node.durable = new Map(node.entries);
    else if (!node.isForgotten) node.durable = node.content;
  }

  /** What an fsync that fails leaves behind. */
  forget(path: string): void {
    const node = this.find(path);
    if (node?.kind === 'file' && node.durable !== node.content) node.isForgotten = true;
  }

  /** Whether a power cut at this moment would leave the file as it is. */
  isDurable(path: string): boolean {
    let node: DiskNode | undefined = this.root;
    for (const name of namesOf(path)) {
      if (node?.kind !== 'directory' || node.durable.get(name) !== node.entries.get(name)) return false;
      node = node.entries.get(name);
    }
    return node?.kind === 'file' && node.durable === node.content;
  }

  cutPower(): void {
    this.#cut(this.root, new Set());
  }

  #cut(node: DiskNode, seen: Set<DiskNode>): void {
    if (seen.has(node)) return;
    seen.add(node);
    if (node.kind === 'file') {
      if (node.content !== node.durable) node.content = this.#remains(node);
      node.durable = node.content;
      node.isForgotten = false;
      return;
    }
    const left = new Map<string, DiskNode>();
    for (const name of new Set([...node.entries.keys(), ...node.durable.keys()])) {
      const kept = this.#random.below(2) === 0 ? node.entries.get(name) : node.durable.get(name);
      const same = node.entries.get(name) === node.durable.get(name) ? node.entries.get(name) : kept;
      if (same) left.set(name, same);
    }
    node.entries = left;
    node.durable = new Map(left);
    for (const child of left.values()) this.#cut(child, seen);
  }

  #remains({ content, durable = Buffer.alloc(0) }: FileNode): Buffer {
    const chance = this.#random.below(3);
    if (chance === 0) return durable;
    if (chance === 1) return content;
    return content.subarray(0, this.#random.below(content.length + 1));
  }

  #newDirectory(): DirectoryNode {
    return { kind: 'directory', inode: this.#nextInode(), entries: new Map(), durable: new Map() };
  }

  #nextInode(): number {
    this.#inodes += 1;
    return this.#inodes;
  }
}

export function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: simulated, '${path}'`), { code, path });
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '');
}
