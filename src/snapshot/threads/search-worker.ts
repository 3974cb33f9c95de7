// The thread that answers searches, lists and suggestions.
import { presentPage } from '../query/present-page.ts';
import { search } from '../query/search.ts';
import { readRow } from '../query/search-rows.ts';
import { listSuggestions } from '../query/suggestions.ts';
import { listMatches, listTermRanks } from '../query/tracked-terms.ts';
import { listChanges, listLatestRanks, listNewTerms, listSocialRanks } from '../trends/trends.ts';
import type { SearchTask, TaskResult } from './search-task.ts';
import { serveTasks, type TaskContext } from './worker-loop.ts';

serveTasks<SearchTask, TaskResult>({ niceness: 5, run: runTask });

function runTask(task: SearchTask, { view, findView, throwIfCancelled }: TaskContext): TaskResult {
  switch (task.kind) {
    case 'page': {
      const outcome = search(view, task.plan, { throwIfCancelled });
      return { kind: 'page', page: { totalCount: outcome.totalCount, dataJson: presentPage(view, outcome) } };
    }
    case 'rows': {
      const { totalCount, documents, window } = search(view, task.plan, { throwIfCancelled });
      const rows = window ? documents.map((document) => readRow(view, { document, window })) : [];
      return { kind: 'rows', page: { totalCount, rows } };
    }
    case 'count': {
      const plan = { ...task.plan, offset: 0, limit: 1 };
      return { kind: 'count', totalCount: search(view, plan, { throwIfCancelled }).totalCount };
    }
    case 'changes':
      return { kind: 'changes', page: listChanges(view, task.plan, { throwIfCancelled }) };
    case 'social-ranks': {
      const retail = task.retailSnapshotId === undefined ? undefined : findView(task.retailSnapshotId);
      return { kind: 'social-ranks', page: listSocialRanks(view, task.plan, { retail, throwIfCancelled }) };
    }
    case 'new-terms':
      return { kind: 'new-terms', page: listNewTerms(view, task.plan, { throwIfCancelled }) };
    case 'latest-ranks':
      return { kind: 'latest-ranks', ranks: listLatestRanks(view, task.plan) };
    case 'term-ranks':
      return { kind: 'term-ranks', ranks: listTermRanks(view, task.plan) };
    case 'matches':
      return { kind: 'matches', matches: listMatches(view, task, { throwIfCancelled }) };
    case 'suggestions':
      return { kind: 'suggestions', terms: listSuggestions(view, task.plan, { throwIfCancelled }) };
  }
}
