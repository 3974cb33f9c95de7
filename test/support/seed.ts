/** The seed of random cases: the same in every `npm test`, so that a red test is the doing of the change at hand. `npm run prove` draws others. */
export const SEED = Number(process.env.SEED ?? 1);
