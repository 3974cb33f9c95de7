import type { Command } from 'commander';
import { migrate, TABLES } from '../clickhouse/schema.ts';
import { readConfig } from '../config.ts';
import { openCluster } from './operator.ts';
import { count, type JsonFlag, print } from './output.ts';

const EXAMPLES = `
CLICKHOUSE_URL names every node, and KEYRANK_CLICKHOUSE_CLUSTER the cluster in their configuration. What is there stays as it is.

Examples:
  keyrank clickhouse migrate
  keyrank publish --to clickhouse`;

export function registerClickHouse(program: Command): void {
  const clickHouse = program.command('clickhouse').description('the cluster that KEYRANK_RANK_STORE=clickhouse uses');

  clickHouse
    .command('migrate')
    .description('make the tables and the views of analysts on every node')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(async ({ json }: JsonFlag) => {
      await using cluster = openCluster(readConfig(process.env));
      await migrate(cluster);
      const { database, nodeCount } = cluster;
      const tables = Object.keys(TABLES).length;
      const lines = [`The database ${database} has its ${count(tables)} tables on ${count(nodeCount)} nodes.`];
      print({ database, nodes: nodeCount, tables }, { json, lines });
    });
}
