import { spawnSync } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/**
 * Lets whoever else runs on this machine go first: a server answers people. Call it when the database is open, or one that this
 * process starts would stand back as well. Threads that are started later are born with it.
 */
export function giveWay(): void {
  setPriority(constants.priority.PRIORITY_LOW);
  if (process.platform !== 'linux') return;
  // A low priority makes turns shorter, but whoever wakes up still waits for the end of one; the idle policy gives way at once. Where
  // there is no chrt (it is in util-linux and in busybox), the priority alone has to do.
  spawnSync('chrt', ['-a', '-i', '-p', '0', String(process.pid)], { stdio: 'ignore' });
}
