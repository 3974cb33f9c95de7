/**
 * The seed of random cases: the same in every `npm test`, so that a red test is the doing of the change at hand.
 * `SEED=random npm test -- test/store` draws another one and says which; `SEED=123` repeats it.
 */
export const SEED = readSeed(process.env.SEED ?? '1');

function readSeed(text: string): number {
  if (text !== 'random') return Number(text);
  const seed = Date.now() % 1_000_000;
  console.log(`seed ${seed}; repeat with SEED=${seed}`);
  return seed;
}
