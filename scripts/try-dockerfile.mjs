// Goes through the Dockerfile without a container engine: each stage is an overlay over this machine's own files, with Node 24
// in /usr/local/bin; every instruction is carried out there, the service is started as the image would start it, and its health
// check is asked until it is well. Needs Linux, root, and the npm registry: sudo node scripts/try-dockerfile.mjs
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
// The version that the first image is pinned to.
const NODE_VERSION = /^FROM node:([0-9.]+)/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1];
const HEALTH_LIMIT_MS = 180_000;
const TRIAL_PORT = '18480';

async function tryDockerfile() {
  const scratch = mkdtempSync(join(tmpdir(), 'keyrank-image-'));
  run('mount', ['-t', 'tmpfs', 'tmpfs', scratch]);
  const context = { scratch, files: contextFiles(), stages: new Map(), stage: undefined };
  run('npm', ['install', '--silent', '--prefix', join(scratch, 'node'), `node-linux-${process.arch}@${NODE_VERSION}`]);
  for (const line of instructions()) {
    console.log(line.length > 110 ? `${line.slice(0, 109)}…` : line);
    const [, word = '', rest = ''] = /^(\w+)\s+(.*)$/s.exec(line) ?? [];
    carryOut(context, word, rest);
  }
  await tryImage(context.stage);
  process.chdir('/');
}

function instructions() {
  const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split('\n');
  const text = lines.filter((line) => !line.startsWith('#')).join('\n');
  return text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter(Boolean);
}

/** What would be sent to the engine: the files of the checkout that .dockerignore lets through. */
function contextFiles() {
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  const files = listed.toString().trim().split('\n');
  return files.filter((file) => existsSync(join(ROOT, file)) && !ignored.includes(file.split('/')[0]));
}

const INSTRUCTIONS = {
  FROM: (context, rest) => {
    const [, , name = 'image'] = rest.split(' ');
    context.stage = openStage(context, name);
    context.stages.set(name, context.stage);
  },
  WORKDIR: ({ stage }, rest) => {
    stage.workDirectory = rest;
    mkdirSync(join(stage.root, rest), { recursive: true });
  },
  ENV: ({ stage }, rest) =>
    Object.assign(stage.environment, Object.fromEntries(rest.split(' ').map((pair) => pair.split('=', 2)))),
  COPY: copy,
  RUN: ({ stage }, rest) => chroot(stage, ['/bin/sh', '-c', rest]),
  USER: ({ stage }, rest) => {
    stage.user = rest;
  },
  HEALTHCHECK: ({ stage }, rest) => {
    stage.healthCheck = JSON.parse(rest.slice(rest.indexOf('[')));
  },
  ENTRYPOINT: ({ stage }, rest) => {
    stage.entryPoint = JSON.parse(rest);
  },
  CMD: ({ stage }, rest) => {
    stage.command = JSON.parse(rest);
  },
  VOLUME: () => {},
  EXPOSE: () => {},
};

if (!process.env.TRYING_DOCKERFILE) {
  // In a mount namespace of its own, which takes everything with it when it ends.
  const inside = { ...process.env, TRYING_DOCKERFILE: '1' };
  execFileSync('unshare', ['--mount', process.execPath, ...process.argv.slice(1)], { stdio: 'inherit', env: inside });
} else await tryDockerfile();

function carryOut(context, word, rest) {
  const instruction = INSTRUCTIONS[word];
  if (!instruction) throw new Error(`${word} is not known here`);
  instruction(context, rest);
}

function openStage({ scratch }, name) {
  const folders = ['upper', 'work', 'root'].map((part) => join(scratch, name, part));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const [upper, work, root] = folders;
  run('mount', ['-t', 'overlay', 'overlay', '-o', `lowerdir=/,upperdir=${upper},workdir=${work}`, root]);
  for (const folder of ['proc', 'dev']) run('mount', ['--rbind', `/${folder}`, join(root, folder)]);
  for (const folder of ['app', 'data']) rmSync(join(root, folder), { recursive: true, force: true });
  const node = join(scratch, `node/node_modules/node-linux-${process.arch}/bin/node`);
  run('install', ['-D', node, join(root, 'usr/local/bin/node')]);
  const stage = { root, environment: {}, workDirectory: '/', user: 'root' };
  // The official image has this user.
  chroot(stage, ['/bin/sh', '-c', 'id node >/dev/null 2>&1 || useradd --create-home node']);
  return stage;
}

function copy({ stage, stages, files }, rest) {
  const words = rest.split(' ');
  const from = words[0].startsWith('--from=') ? stages.get(words.shift().slice('--from='.length)) : undefined;
  const target = join(stage.root, stage.workDirectory, words.at(-1));
  for (const source of words.slice(0, -1)) {
    if (from) {
      run('cp', ['-a', join(from.root, source), target]);
      continue;
    }
    const wanted = files.filter((file) => file === source || file.startsWith(`${source}/`));
    if (wanted.length === 0) throw new Error(`${source} is not in the context`);
    for (const file of wanted) {
      const inside = file === source ? file.split('/').at(-1) : file.slice(source.length + 1);
      const path = join(target, inside);
      mkdirSync(dirname(path), { recursive: true });
      run('cp', ['-a', join(ROOT, file), path]);
    }
  }
}

async function tryImage(stage) {
  const { entryPoint, command, healthCheck } = stage;
  // A container has a network of its own; this one shares the machine's, so it keeps to loopback and out of the way.
  Object.assign(stage.environment, { HOST: '127.0.0.1', PORT: TRIAL_PORT, KEYRANK_ADMIN_PORT: 'off' });
  const server = start(stage, [...entryPoint, ...command, '--demo']);
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const startedMs = Date.now();
  while (status(stage, healthCheck) !== 0) {
    if (server.exitCode !== null || Date.now() - startedMs > HEALTH_LIMIT_MS) {
      server.kill('SIGTERM');
      throw new Error('the service is not well');
    }
    await sleep(1000);
  }
  console.log(`healthy after ${((Date.now() - startedMs) / 1000).toFixed(0)} s`);
  chroot(stage, [...entryPoint, 'periods', '--json'], 'ignore');
  chroot(stage, [...entryPoint, 'organization', 'list']);
  server.kill('SIGTERM');
  const code = await ended;
  if (code !== 0) throw new Error(`the service ended with ${code}`);
  if (status(stage, healthCheck) === 0) throw new Error('the health check is content without a service');
  console.log('the Dockerfile works');
}

function status(stage, words) {
  try {
    chroot(stage, words, 'ignore');
    return 0;
  } catch (error) {
    return error.status ?? 1;
  }
}

function chroot(stage, words, stdio = 'inherit') {
  const [program, ...args] = inStage(stage, words);
  execFileSync(program, args, { stdio, env: environmentOf(stage) });
}

function start(stage, words) {
  const [program, ...args] = inStage(stage, words);
  return spawn(program, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { LOG_LEVEL: 'warn', ...environmentOf(stage) },
  });
}

function inStage({ root, user, workDirectory }, words) {
  const enter = `cd ${workDirectory} && exec "$@"`;
  return ['chroot', `--userspec=${user}:${user}`, root, '/bin/sh', '-c', enter, 'sh', ...words];
}

/** Like an engine, lets through only what leads to the network, and that only while the image is built. */
function environmentOf({ environment, user }) {
  const isBuilding = user === 'root';
  const network = Object.entries(process.env).filter(([name]) =>
    /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|npm_config_\w+)$/i.test(name),
  );
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin',
    HOME: isBuilding ? '/root' : `/home/${user}`,
    ...(isBuilding && Object.fromEntries(network)),
    ...environment,
  };
}

function run(program, args) {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
