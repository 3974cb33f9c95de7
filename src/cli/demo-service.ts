import { type RunningService, startService } from '../boot.ts';
import { type DemoLogin, ensureDemoAccount, ensureDemoPassword } from './demo-account.ts';
import { ensureDemoData } from './demo-data.ts';
import type { Operator } from './operator.ts';

export interface DemoService {
  readonly service: RunningService;
  readonly key: string;
  readonly login: DemoLogin;
}

/** The service with an account to try it with, and data where there are none. */
export async function startDemoService(operator: Operator, signal: AbortSignal): Promise<DemoService> {
  const key = await ensureDemoAccount(operator);
  const login = await ensureDemoPassword(operator);
  await ensureDemoData(operator, {
    onStart: (reportCount) => {
      console.log(`Making demo data from ${reportCount} generated reports. This takes a moment, once …`);
    },
    signal,
  });
  return { key, login, service: await startService(operator.config, { guardsProcess: true }) };
}
