// The life of an import: sent, checked, published, undone; and one that is cancelled.
import { expect } from 'vitest';
import type { TestService } from '../support/service.ts';
import type { AskOptions } from './recording.ts';

const REPORT = `period_type,period,search_term,rank
weekly,46-2026,winterstiefel,1
weekly,46-2026,wanderstiefel,2
weekly,46-2026,gummistiefel,viele
`;

type Record = (name: `${string}.${string}`, target: string, options?: AskOptions) => Promise<{ data: { id: string } }>;

export async function recordImports(service: TestService, record: Record): Promise<void> {
  const key = await service.makeKey({ user: 'operator@example.com', isOperator: true });
  const imports = '/v1/imports';
  const begin = { file_name: 'DE_ranks.csv', size_bytes: REPORT.length, max_rejects: 50 };
  const { data: made } = await record('createImport.begun', imports, { method: 'POST', key, body: begin });
  const one = `${imports}/${made.id}`;
  const until = (state: string) =>
    expect.poll(async () => (await service.request(one, { key })).json.data.state).toBe(state);
  const sent = { method: 'PATCH', key, headers: { 'upload-offset': '0' }, body: REPORT };
  await record('sendImportPart.whole', `${one}/content`, sent);
  await until('checked');
  await record('getImport.checked', one, { key });
  await record('downloadImportRejects.csv', `${one}/rejects`, { key });
  await record('changeImport.moreRejects', one, { method: 'PATCH', key, body: { max_rejects: 40 } });
  await until('checked');
  await record('publishImport.approved', `${one}/publish`, { method: 'POST', key });
  await until('done');
  await record('listImports.newest', `${imports}?limit=1`, { key });
  await record('undoImport.requested', `${one}/undo`, { method: 'POST', key });
  await until('undone');
  const { data: other } = await service
    .request(imports, { method: 'POST', key, body: JSON.stringify(begin) })
    .then(({ json }) => json);
  await record('cancelImport.cancelled', `${imports}/${other.id}`, { method: 'DELETE', key });
}
