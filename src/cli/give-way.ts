import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Lets whoever else runs on this machine go first: a server answers people. Call it when the database is open, or one that this
 * process starts would stand back as well. Threads that are started later are born with it.
 *
 * @param leavesCore also keeps off one of the processor cores: with all of them busy, even with work that gives way at once, a search
 *   takes twice as long.
 */
export function giveWay({ leavesCore }: { readonly leavesCore: boolean }): void {
  setPriority(constants.priority.PRIORITY_LOW);
  if (process.platform !== 'linux') return;
  // A low priority makes turns shorter, but whoever wakes up still waits for the end of one; the idle policy gives way at once.
  changeOwnThreads('chrt', ['-i'], '0');
  const cores = listCores();
  if (leavesCore && cores.length > 1) changeOwnThreads('taskset', ['-c'], cores.slice(1).join());
}

/** Where there is no such program (they are in util-linux and in busybox), the priority alone has to do. */
function changeOwnThreads(program: 'chrt' | 'taskset', options: readonly string[], value: string): void {
  spawnSync(program, ['-a', ...options, '-p', value, String(process.pid)], { stdio: 'ignore' });
}

/** Those that this process may use, which the system writes as 0-3,6. */
function listCores(): readonly number[] {
  const [, ranges = ''] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return ranges.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}
