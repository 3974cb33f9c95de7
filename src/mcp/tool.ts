import type { z } from 'zod';
import type { ApiBody, ApiRequest } from './api.ts';

/** One tool: a request to the API, and how its answer reads to an agent. */
export interface Tool<Schema extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** What it answers, when to use it, and what it costs. */
  readonly description: string;
  readonly input: Schema;
  /** Whether calling it changes anything. */
  readonly effect: 'reads' | 'adds' | 'changes' | 'removes';
  readonly plan: (input: z.output<Schema>) => ApiRequest;
  /** The answer without what an agent has no use for. */
  readonly present: (body: ApiBody, input: z.output<Schema>) => Readonly<Record<string, unknown>>;
}

/** Lets a tool's functions see the type of its own input. */
export function defineTool<Schema extends z.ZodObject>(tool: Tool<Schema>): Tool {
  return tool as unknown as Tool;
}
