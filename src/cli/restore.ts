import type { Command } from 'commander';
import { restoreBackup } from '../backup/restore.ts';
import { describeContents, presentContents, withCopyProgress } from './backup-report.ts';
import { asOperator, copyParts } from './operator.ts';
import { type JsonFlag, print } from './output.ts';

export function registerRestore(program: Command): void {
  program
    .command('restore')
    .argument('<dir>', 'a directory that keyrank backup made')
    .description('bring a backup back, into an empty database and data directory')
    .option('--json', 'print JSON')
    .action(async (directory: string, { json }: JsonFlag) => {
      const contents = await withCopyProgress((shown) =>
        asOperator((operator) => restoreBackup({ ...shown, ...copyParts(operator), directory })),
      );
      print(presentContents(contents), { json, lines: [`Restored ${describeContents(contents)} from ${directory}.`] });
    });
}
