// The settings of the embedded server. DEFAULT ones are written to postgresql.conf when the cluster is made and are the
// operator's from then on. REQUIRED ones are given on the command line at every start and win over any file.

/** Names the socket's file; nothing listens on a port. */
export const SERVER_PORT = 5432;

/**
 * The server never learns its own path: it is started in its data directory and calls it by this name. So the folders
 * above may be closed to the server's user, and no path is too long for a socket (107 bytes).
 */
const OWN_DIRECTORY = '/proc/self/cwd';

function serverDirectoryName(clusterDirectory: string): string {
  return process.platform === 'linux' ? OWN_DIRECTORY : clusterDirectory;
}

const DEFAULT_SETTINGS: Readonly<Record<string, string>> = {
  // One service with a small pool and a few command lines beside it.
  max_connections: '100',
  // Accounts, history and manifests: the working set is small, and the memory belongs to the rank data.
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  max_wal_size: '512MB',
  // Queries are short, the cores are busy with searches, and parallel plans need more /dev/shm than a container has.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  // Three fewer processes; they only help large reads.
  io_method: 'sync',
  // One fewer still: nothing is replicated.
  max_logical_replication_workers: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Ours are in keyrank's own log; this file is for warnings and errors.
  log_checkpoints: 'off',
  log_min_messages: 'warning',
};

const REQUIRED_SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  port: String(SERVER_PORT),
  // Only the owner may even try to connect; the directory is closed to everybody else as well. Root always may.
  unix_socket_permissions: '0700',
  // Data must survive a power cut.
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  // server-log.ts owns and bounds the file behind standard error.
  logging_collector: 'off',
  log_destination: 'stderr',
};

export function listInitArguments(clusterDirectory: string): string[] {
  return [
    '--pgdata',
    serverDirectoryName(clusterDirectory),
    '--username=keyrank_owner',
    '--encoding=UTF8',
    // Unicode letters and code-point order, built into PostgreSQL: a new libc can never change the order of an index.
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--data-checksums',
    '--auth=peer',
    '--no-instructions',
    ...Object.entries(DEFAULT_SETTINGS).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  ];
}

export function listServerArguments(clusterDirectory: string): string[] {
  const directory = serverDirectoryName(clusterDirectory);
  // A list of directories, hence the quotes: a path may have commas.
  const socketDirectories = `"${directory.replaceAll('"', '""')}"`;
  const settings = { ...REQUIRED_SETTINGS, unix_socket_directories: socketDirectories };
  return ['-D', directory, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
