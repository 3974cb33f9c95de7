import type { Command } from 'commander';
import { periodKey } from '../domain/period.ts';
import { listWaitingPublications, retryPublications, type WaitingPublication } from '../postgres/publications.ts';
import { asOperator } from './operator.ts';
import { type Columns, type JsonFlag, print, printList, shortTime } from './output.ts';

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
      printList(waiting, { json, columns: COLUMNS, present, none: 'Everyone was told of everything.' });
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

const COLUMNS: Columns<WaitingPublication> = {
  ID: ({ publicationId }) => String(publicationId),
  MARKETPLACE: ({ news }) => news.marketplace,
  SOURCE: ({ news }) => news.source,
  TYPE: ({ news }) => news.period.frequency,
  PERIOD: ({ news }) => periodKey(news.period),
  STATE: ({ setAsideAt }) => (setAsideAt ? `set aside ${shortTime(setAsideAt, '')}` : 'waiting'),
  ATTEMPTS: ({ attempts }) => String(attempts),
  ERROR: ({ error }) => error ?? '',
};

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
