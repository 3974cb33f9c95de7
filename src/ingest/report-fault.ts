import { OperatorError } from '../domain/error.ts';

/** Something is wrong with a report as a whole, and can be seen on this line of it. */
export class ReportFault extends OperatorError {
  readonly line: number;

  constructor(
    message: string,
    options: { readonly line: number; readonly hint?: string | undefined; readonly cause?: unknown },
  ) {
    super(message, { ...(options.hint !== undefined && { hint: options.hint }), cause: options.cause });
    this.name = 'ReportFault';
    this.line = options.line;
  }
}

const LF = 0x0a;

export function countLineEnds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}
