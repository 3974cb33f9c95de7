import type { Command } from 'commander';
import { writeBackup } from '../backup/backup.ts';
import { VERSION } from '../version.ts';
import { describeContents, presentContents, withCopyProgress } from './backup-report.ts';
import { asOperator, copyParts } from './operator.ts';
import { type JsonFlag, print } from './output.ts';

export function registerBackup(program: Command): void {
  program
    .command('backup')
    .argument('<dir>', 'directory to make; it must not exist')
    .description('copy the database and all published files, while the service goes on; imports wait')
    .option('--json', 'print JSON')
    .action(async (directory: string, { json }: JsonFlag) => {
      const contents = await withCopyProgress((shown) =>
        asOperator((operator) =>
          writeBackup({
            ...shown,
            ...copyParts(operator),
            directory,
            version: VERSION,
            now: () => new Date(),
          }),
        ),
      );
      print(presentContents(contents), { json, lines: [`Backed up ${describeContents(contents)} to ${directory}.`] });
    });
}
