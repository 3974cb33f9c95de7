export const MAX_EMAIL_CHARACTERS = 254;
/** Longer is no safer, and costs time. */
export const PASSWORD_CHARACTERS = { min: 12, max: 200 } as const;

/** Whether a text that is trimmed and in NFC can be a mail address. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_EMAIL_CHARACTERS && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text);
}
