import type { Command } from 'commander';
import { registerBenchExport } from './bench-export.ts';
import { registerBenchHttp } from './bench-http.ts';
import { registerBenchImport } from './bench-import.ts';
import { registerBenchSearch } from './bench-search.ts';
import { registerBenchTrends } from './bench-trends.ts';

export function registerBench(program: Command): void {
  const bench = program.command('bench').description('measure how fast this machine is');
  registerBenchImport(bench);
  registerBenchSearch(bench);
  registerBenchTrends(bench);
  registerBenchExport(bench);
  registerBenchHttp(bench);
}
