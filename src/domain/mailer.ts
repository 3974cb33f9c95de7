// What is sent by e-mail. Whoever needs a mail sent knows this contract; how it goes out is the business of whoever implements it.

export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  /** The whole message as plain text; every mail has it. */
  readonly text: string;
  readonly html?: string;
  /** Beside those that every mail has, such as List-Unsubscribe. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Mailer {
  /** Resolves when the next server has taken the mail; rejects when it was refused or nobody answered. Tries once. */
  send(mail: Mail): Promise<void>;
}
