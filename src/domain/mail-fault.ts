// Why a mail was not sent, in words that its reader may see: nothing about the operator's network and nothing of the server's own text.

export class MailFault extends Error {
  /** Of the answer of the mail server; null without one. */
  readonly status: number | null;
  /** Trying again would not help, or might send it twice. */
  readonly isFinal: boolean;

  constructor(
    message: string,
    { status = null, isFinal = false, cause }: { status?: number | null; isFinal?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.status = status;
    this.isFinal = isFinal;
  }
}
