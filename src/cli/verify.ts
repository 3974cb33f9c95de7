import type { Command } from 'commander';
import { OperatorError } from '../domain/error.ts';
import { asOperator, openPublisher } from './operator.ts';
import { type JsonFlag, print } from './output.ts';

export function registerVerify(program: Command): void {
  program
    .command('verify')
    .description('read every published file and compare it with its checksum')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonFlag) => {
      const onItem = (name: string) => {
        if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${name}`);
      };
      const result = await asOperator((operator) => openPublisher(operator).verify({ onItem }));
      if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
      const size = `${result.files} files, ${(result.bytes / 1e6).toFixed(1)} MB`;
      const lines =
        result.faults.length === 0
          ? [`All is well: ${size} are as they were published.`]
          : result.faults.map(({ path, message }) => `${path} ${message}`);
      print(result, { json, lines });
      if (result.faults.length === 0) return;
      throw new OperatorError(`${result.faults.length} of ${result.files} published files are damaged.`, {
        hint: 'Restore them from a backup; a segment is also written anew when its report is imported again.',
      });
    });
}
