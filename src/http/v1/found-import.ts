import type { ReportImport } from '../../domain/report-import.ts';
import type { RequestContext } from '../endpoint.ts';
import { noSuchItem } from '../envelope.ts';
import type { Parameters } from '../parameters.ts';
import { IMPORT } from './import-fields.ts';

/** The import that the path names. */
export async function findImport({
  id,
  resources,
}: Pick<RequestContext<Parameters>, 'id' | 'resources'>): Promise<ReportImport> {
  const found = await resources.reportImports.find(id);
  if (!found) throw noSuchItem(IMPORT);
  return found;
}
