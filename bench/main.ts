// npm run bench -- <command>: how fast this machine is, beside other engines on the same data. Not part of what is installed.
import { Command } from 'commander';
import { runProgram } from '../src/cli/run-program.ts';
import { registerBenchClickHouse } from './bench-clickhouse.ts';
import { registerBenchDeep } from './bench-deep.ts';
import { registerBenchExport } from './bench-export.ts';
import { registerBenchHttp } from './bench-http.ts';
import { registerBenchImport } from './bench-import.ts';
import { registerBenchPairs } from './bench-pairs.ts';
import { registerBenchProducts } from './bench-products.ts';
import { registerBenchSearch } from './bench-search.ts';
import { registerBenchTrends } from './bench-trends.ts';
import { registerBenchWindows } from './bench-windows.ts';

const bench = new Command('bench')
  .description('measure how fast this machine is')
  .showHelpAfterError('Run with --help to see how it is used.')
  .exitOverride();
registerBenchImport(bench);
registerBenchSearch(bench);
registerBenchTrends(bench);
registerBenchPairs(bench);
registerBenchProducts(bench);
registerBenchExport(bench);
registerBenchHttp(bench);
registerBenchWindows(bench);
registerBenchDeep(bench);
registerBenchClickHouse(bench);
await runProgram(bench);
