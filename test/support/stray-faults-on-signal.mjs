// Loaded into a server before it starts: plants what a defect would, when a test says so, and names that mean nothing.
import { promises as dns } from 'node:dns';

process.on('SIGUSR2', () => {
  if (process.env.PLANTED === 'exception') setImmediate(() => throwPlanted());
  else void Promise.reject(process.env.PLANTED === 'nothing' ? undefined : new Error('planted rejection'));
});

function throwPlanted() {
  throw new Error('planted exception');
}

// A name server that knows aliases without records.
dns.Resolver.prototype.resolve4 = async () => [];
dns.Resolver.prototype.resolve6 = async () => {
  throw Object.assign(new Error('queryAaaa ENODATA'), { code: 'ENODATA' });
};
