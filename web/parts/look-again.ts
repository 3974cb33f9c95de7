import { useEffect } from 'preact/hooks';

/** Time in which something that was just asked for is usually done. */
const LOOK_AGAIN_MS = 2_000;

/** Looks again while something is on its way. */
export function useLookingAgain(isWaiting: boolean, look: () => void): void {
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(look, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isWaiting]);
}
