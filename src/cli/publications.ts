import type { Command } from 'commander';
import { periodKey } from '../domain/period.ts';
import { listWaitingPublications, retryPublications, type WaitingPublication } from '../postgres/publications.ts';
import { asOperator } from './operator.ts';
import { print, shortTime, tabulate } from './output.ts';

interface JsonFlag {
  readonly json?: boolean;
}

export function registerPublications(program: Command): void {
  const publications = program
    .command('publications')
    .description('news of published periods that members and webhooks have not all been told of yet');

  publications
    .command('list')
    .description('list them, with attempts and what went wrong; those set aside are not tried again by themselves')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonFlag) => {
      const waiting = await asOperator(({ pool }) => listWaitingPublications(pool));
      const lines = waiting.length > 0 ? tabulate(HEADER, waiting.map(row)) : ['Everyone was told of everything.'];
      print(waiting.map(present), { json, lines });
    });

  publications
    .command('retry')
    .description('try those again that were set aside; whoever was told is not told twice')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonFlag) => {
      const count = await asOperator(({ pool }) => retryPublications(pool));
      const lines = [count === 0 ? 'None was set aside.' : `Servers try again: ${count}.`];
      print({ retried: count }, { json, lines });
    });
}

const HEADER = ['ID', 'MARKETPLACE', 'SOURCE', 'TYPE', 'PERIOD', 'STATE', 'ATTEMPTS', 'ERROR'];

function row(publication: WaitingPublication): readonly string[] {
  const { publicationId, news, attempts, setAsideAt, error } = publication;
  const state = setAsideAt ? `set aside ${shortTime(setAsideAt, '')}` : 'waiting';
  const { marketplace, source, period } = news;
  return [
    String(publicationId),
    marketplace,
    source,
    period.frequency,
    periodKey(period),
    state,
    String(attempts),
    error ?? '',
  ];
}

function present({ publicationId, news, attempts, setAsideAt, error }: WaitingPublication) {
  return {
    id: publicationId,
    marketplace: news.marketplace,
    source: news.source,
    type: news.period.frequency,
    period: periodKey(news.period),
    revision: news.revision,
    published_at: news.publishedAt,
    attempts,
    set_aside_at: setAsideAt,
    error,
  };
}
