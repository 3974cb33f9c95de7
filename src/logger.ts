import { type Logger, pino } from 'pino';

/**
 * What a whole key, the token of a session, a share or an agent, a webhook's secret, and Amazon's secrets, tokens and presigned addresses
 * look like, wherever they turn up: in a path, a header, an error's message.
 */
const KEYS =
  /(kr[ksfu]_)[\w-]{36,43}|(whsec_)[0-9A-Za-z+/=]{24,}|(Atz[ar]\|)[\w+/=-]+|(amzn1\.oa2-cs\.)[\w.]+|(X-Amz-(?:Signature|Security-Token|Credential)=)[\w%+/=.-]+/g;

/** One JSON line per event on standard error. Keys are blotted out in the finished line, so no field can be forgotten. */
export function openLogger(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: (line) => line.replaceAll(KEYS, '$1$2$3$4$5[redacted]') },
    },
    process.stderr,
  );
}
