/**
 * Runs work whose failure must end neither its caller nor the process: whatever it throws, at once or later, is handed to
 * `onError`. Never rejects, also when `onError` itself fails.
 */
export async function contain(work: () => unknown, onError: (error: unknown) => void): Promise<void> {
  try {
    await work();
  } catch (error) {
    try {
      onError(error);
    } catch {
      // There is nobody left to tell.
    }
  }
}

/** As Promise.all, but when one fails the others have ended too: nothing is closed while it is still worked with. */
export async function allDone<const Works extends readonly unknown[]>(
  works: Works,
): Promise<{ -readonly [Work in keyof Works]: Awaited<Works[Work]> }> {
  await Promise.allSettled(works);
  return await Promise.all(works);
}
