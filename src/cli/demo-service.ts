import { type RunningService, startService } from '../boot.ts';
import { ensureDemoAccount } from './demo-account.ts';
import { ensureDemoData } from './demo-data.ts';
import type { Operator } from './operator.ts';

export interface DemoService {
  readonly service: RunningService;
  readonly key: string;
}

/** The service with an account to try it with, and data where there are none. */
export async function startDemoService(operator: Operator, signal: AbortSignal): Promise<DemoService> {
  const key = await ensureDemoAccount(operator);
  await ensureDemoData(operator, {
    onStart: (reportCount) => {
      console.log(`Making demo data from ${reportCount} generated reports. This takes a moment, once …`);
    },
    signal,
  });
  return { key, service: await startService(operator.config, { guardsProcess: true }) };
}
